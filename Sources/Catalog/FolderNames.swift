internal import Platform

/// The names of one folder in memory, found several times as fast as by a query.
struct FolderNames: Sendable {
  private var entries: [Entry] = []
  /// Where each entry's name ends in `bytes`; it begins where the one before ends.
  private var ends: [Int] = []
  private var bytes: [UInt8] = []
  /// The place of an entry and one, at the hash of its name or behind; 0 is free.
  private var slots: [UInt32] = []

  /// How many names there are.
  var count: Int { entries.count }

  mutating func append(_ entry: Entry, _ name: borrowing Span<UInt8>) {
    entries.append(entry)
    name.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
  }

  /// Makes the names ready to be found, after the last one.
  mutating func seal() {
    var size = 16
    while size < entries.count * 2 { size *= 2 }
    slots = Array(repeating: 0, count: size)
    for place in entries.indices {
      var slot = Self.hash(bytes.span.extracting(range(place))) & (size - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = UInt32(place + 1)
    }
  }

  /// The entry under a name.
  func find(_ name: borrowing Span<UInt8>) -> Entry? {
    var slot = Self.hash(name) & (slots.count - 1)
    while slots[slot] != 0 {
      let place = Int(slots[slot] - 1)
      if Self.isEqual(name, bytes.span.extracting(range(place))) { return entries[place] }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private func range(_ place: Int) -> Range<Int> {
    (place == 0 ? 0 : ends[place - 1])..<ends[place]
  }

  private static func isEqual(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Bool
  {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }

  /// FNV-1a, 64 bits, folded.
  private static func hash(_ name: borrowing Span<UInt8>) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in name.indices { hash = (hash ^ UInt64(name[index])) &* 0x100_0000_01b3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 32)
  }
}
