internal import Cloud
internal import Platform

/// Hands content on as the network brings it and the gates let it.
final class ConditionedSink: ContentSink {
  private let sink: any ContentSink
  private let range: ByteRange
  private let subject: CheckpointSubject
  private let gates: Gates
  private let pacer: Pacer
  // The gates that this transfer has been held at; a sink gets its pieces one after another.
  private let passed = Locked<Set<GateIdentifier>>([])

  init(
    _ sink: any ContentSink, range: ByteRange, subject: CheckpointSubject, gates: Gates,
    pacer: Pacer
  ) {
    self.sink = sink
    self.range = range
    self.subject = subject
    self.gates = gates
    self.pacer = pacer
  }

  func receive(_ bytes: ContentBytes, at offset: Int64) async throws(CloudError) {
    let end = offset + Int64(bytes.count)
    var position = offset
    while position < end {
      if position == range.offset { try await meet(.firstByte) }
      try await meet(.byte(position))
      if position == range.end - 1 { try await meet(.lastByte) }
      let stop = nextStop(after: position, before: min(end, position + pieceSize(end - position)))
      try await pacer.transfer(stop - position)
      let start = bytes.startIndex + Int(position - offset)
      try await sink.receive(bytes[start..<(start + Int(stop - position))], at: position)
      position = stop
    }
    if end == range.end { try await meet(.byte(end)) }
  }

  private func pieceSize(_ rest: Int64) -> Int64 { min(rest, pacer.pieceSize()) }

  /// Where the next gate of this transfer may hold; `end` when there is none before it.
  private func nextStop(after position: Int64, before end: Int64) -> Int64 {
    let points = gates.points(for: subject, except: passed.withLock { $0 })
    var stop = end
    for point in points {
      let place: Int64? =
        switch point {
        case .byte(let byte): byte
        case .lastByte: range.end - 1
        default: nil
        }
      if let place, place > position, place < stop { stop = place }
    }
    return stop
  }

  private func meet(_ point: GatePoint) async throws(CloudError) {
    do {
      var seen = passed.withLock { $0 }
      let wasHeld = try await gates.meet(point, subject, passed: &seen)
      guard wasHeld else { return }
      passed.withLock { [seen] in $0 = seen }
      pacer.resume()
    } catch {
      throw CloudError(error, at: point)
    }
  }
}

/// Reads what is uploaded as fast as the network takes it.
final class ConditionedSource: ContentSource {
  private let source: any ContentSource
  private let pacer: Pacer

  init(_ source: any ContentSource, _ pacer: Pacer) {
    self.source = source
    self.pacer = pacer
  }

  var size: Int64 { source.size }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    let bytes = try await source.read(at: offset, count: count)
    try await pacer.transfer(Int64(bytes.count))
    return bytes
  }
}
