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
    try await gates.meet(point, subject, passed, pacer)
  }
}

/// Reads what is uploaded as fast as the network takes it, and as the gates let it.
final class ConditionedSource: ContentSource {
  private let source: any ContentSource
  private let subject: CheckpointSubject
  private let gates: Gates
  private let pacer: Pacer
  // The gates that this upload has been held at; a source gives its pieces one after another.
  private let passed = Locked<Set<GateIdentifier>>([])

  init(
    _ source: any ContentSource, subject: CheckpointSubject, gates: Gates, pacer: Pacer
  ) {
    self.source = source
    self.subject = subject
    self.gates = gates
    self.pacer = pacer
  }

  var size: Int64 { source.size }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    if offset == 0 { try await meet(.checkpoint(.uploadFirstByte)) }
    try await meet(.uploadByte(offset))
    if offset == size - 1 { try await meet(.checkpoint(.uploadLastByte)) }
    let stop = nextStop(after: offset, before: offset + Int64(count))
    let bytes = try await source.read(at: offset, count: Int(stop - offset))
    try await pacer.transfer(Int64(bytes.count))
    if offset + Int64(bytes.count) == size { try await meet(.uploadByte(size)) }
    return bytes
  }

  /// Where the next gate of this upload may hold; `end` when there is none before it.
  private func nextStop(after position: Int64, before end: Int64) -> Int64 {
    let places = gates.points(for: subject, except: passed.withLock { $0 }).compactMap { point in
      switch point {
      case .uploadByte(let byte): byte
      case .checkpoint(.uploadLastByte): size - 1
      default: nil as Int64?
      }
    }
    return places.filter { $0 > position && $0 < end }.min() ?? end
  }

  private func meet(_ point: GatePoint) async throws(CloudError) {
    try await gates.meet(point, subject, passed, pacer)
  }
}

extension Gates {
  /// Waits at a point of a transfer, once for each gate.
  fileprivate func meet(
    _ point: GatePoint, _ subject: CheckpointSubject, _ passed: Locked<Set<GateIdentifier>>,
    _ pacer: Pacer
  ) async throws(CloudError) {
    do {
      var seen = passed.withLock { $0 }
      let wasHeld = try await meet(point, subject, passed: &seen)
      guard wasHeld else { return }
      passed.withLock { [seen] in $0 = seen }
      pacer.resume()
    } catch {
      throw CloudError(error, at: point)
    }
  }
}
