/// Splits what arrives into lines.
struct LineBuffer {
  /// What came out: a line without its line feed, or word of one that was too long.
  enum Piece: Equatable { case line([UInt8]), tooLong }

  private let limit: Int
  private var bytes: [UInt8] = []
  private var scanned = 0
  private var isSkipping = false

  init(limit: Int) { self.limit = limit }

  /// Adds bytes and returns what they complete; of a line that is too long only the fact is kept.
  mutating func append(_ new: some Collection<UInt8>) -> [Piece] {
    bytes.append(contentsOf: new)
    var pieces: [Piece] = []
    var start = 0
    while let end = bytes[max(start, scanned)...].firstIndex(of: UInt8(ascii: "\n")) {
      if isSkipping {
        isSkipping = false
      } else if end - start > limit {
        pieces.append(.tooLong)
      } else {
        pieces.append(.line(Array(bytes[start..<end])))
      }
      start = end + 1
      scanned = start
    }
    bytes.removeFirst(start)
    if isSkipping {
      bytes.removeAll(keepingCapacity: true)
    } else if bytes.count > limit {
      pieces.append(.tooLong)
      isSkipping = true
      bytes.removeAll(keepingCapacity: false)
    }
    scanned = bytes.count
    return pieces
  }
}
