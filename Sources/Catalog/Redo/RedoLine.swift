internal import Cloud
internal import Platform

/// How the redo log spells a record: as the journal does its lines.
struct RedoLine: Hashable, Sendable {
  /// The commit after which it counts.
  var commit: UInt64
  /// How many records are before it.
  var index: UInt64
  var record: RedoLog.Record
}

extension RedoLine {
  /// Appends the line: a checksum of the rest, the rest, and a line feed.
  func append(to bytes: inout [UInt8]) {
    JournalText.appendLine(to: &bytes) { bytes in
      JournalText.append(
        [
          .number(commit), .number(index), .time(record.time), .number(record.counters.inode),
          .number(record.counters.serial), .number(record.counters.sequence),
        ], to: &bytes)
      bytes.append(JournalText.tab)
      JournalText.append(record.operation.fields, to: &bytes)
    }
  }

  /// Reads a line without its line feed; nil when it is damaged.
  init?(_ line: ArraySlice<UInt8>) {
    guard let content = JournalText.checked(line) else { return nil }
    var fields = JournalFields(content)
    guard let commit = fields.number(), let index = fields.number(), let time = fields.time(),
      let inode = fields.number(), let serial = fields.number(), let sequence = fields.number(),
      let operation = LocalOperation(&fields)
    else { return nil }
    self.init(
      commit: commit, index: index,
      record: RedoLog.Record(
        operation: operation, time: time,
        counters: Counters(inode: inode, serial: serial, sequence: sequence)))
  }
}

extension LocalOperation {
  fileprivate var fields: [JournalText.Field] {
    switch self {
    case .create(let name, let parent, let kind, let permissions, let target, let covering):
      [
        .tag("C"), .bytes(name.bytes), .number(parent.rawValue),
        .number(UInt64(bitPattern: kind.stored)), .number(UInt64(permissions)), .optional(target),
        .flag(covering),
      ]
    case .remove(let name, let parent, let asFolder):
      [.tag("D"), .bytes(name.bytes), .number(parent.rawValue), .flag(asFolder)]
    case .rename(let old, let new, let mode, let keepsIdentity):
      [
        .tag("M"), .bytes(old.name.bytes), .number(old.parent.rawValue), .bytes(new.name.bytes),
        .number(new.parent.rawValue), .number(mode.stored), .flag(keepsIdentity),
      ]
    case .beginWriting(let inode, let emptied):
      [.tag("B"), .number(inode.rawValue), .flag(emptied)]
    case .endWriting(let inode, let size, let modified, let stillWriting):
      [
        .tag("E"), .number(inode.rawValue), .number(UInt64(bitPattern: size)), .time(modified),
        .flag(stillWriting),
      ]
    case .set(let inode, let size, let modified, let permissions):
      [
        .tag("S"), .number(inode.rawValue), .optionalNumber(size.map(UInt64.init(bitPattern:))),
        .flag(modified != nil), .time(modified ?? Timestamp(seconds: 0, nanoseconds: 0)),
        .optionalNumber(permissions.map(UInt64.init)),
      ]
    }
  }

  fileprivate init?(_ fields: inout JournalFields) {
    switch fields.next() {
    case "C":
      guard let position = Position(&fields),
        let kind = fields.number().flatMap({ ItemKind(stored: Int64(bitPattern: $0)) }),
        let permissions = fields.number(), let target = fields.optional(),
        let covering = fields.flag()
      else { return nil }
      self = .create(
        position.name, in: position.parent, kind: kind,
        permissions: UInt16(truncatingIfNeeded: permissions), target: target, covering: covering)
    case "D":
      guard let position = Position(&fields), let asFolder = fields.flag() else { return nil }
      self = .remove(position.name, in: position.parent, asFolder: asFolder)
    case "M":
      guard let old = Position(&fields), let new = Position(&fields),
        let mode = fields.number().flatMap(RenameMode.init(stored:)),
        let keepsIdentity = fields.flag()
      else { return nil }
      self = .rename(old, to: new, mode, keepsIdentity: keepsIdentity)
    case "B":
      guard let inode = fields.number(), let emptied = fields.flag() else { return nil }
      self = .beginWriting(InodeNumber(rawValue: inode), emptied: emptied)
    case "E":
      guard let inode = fields.number(), let size = fields.number(), let modified = fields.time(),
        let stillWriting = fields.flag()
      else { return nil }
      self = .endWriting(
        InodeNumber(rawValue: inode), size: Int64(bitPattern: size), modified: modified,
        stillWriting: stillWriting)
    case "S":
      guard let inode = fields.number(), let size = fields.optionalNumber(),
        let isDated = fields.flag(), let modified = fields.time(),
        let permissions = fields.optionalNumber()
      else { return nil }
      self = .set(
        InodeNumber(rawValue: inode), size: size.map(Int64.init(bitPattern:)),
        modified: isDated ? modified : nil,
        permissions: permissions.map { UInt16(truncatingIfNeeded: $0) })
    default: return nil
    }
  }
}

extension Position {
  fileprivate init?(_ fields: inout JournalFields) {
    guard let name = fields.bytes().flatMap({ FileName($0) }), let parent = fields.number() else {
      return nil
    }
    self.init(parent: InodeNumber(rawValue: parent), name: name)
  }
}

extension RenameMode {
  fileprivate var stored: UInt64 {
    switch self {
    case .replacing: 0
    case .noReplace: 1
    case .exchange: 2
    }
  }

  fileprivate init?(stored: UInt64) {
    switch stored {
    case 0: self = .replacing
    case 1: self = .noReplace
    case 2: self = .exchange
    default: return nil
    }
  }
}

extension JournalText.Field {
  fileprivate static func flag(_ value: Bool) -> Self { .number(value ? 1 : 0) }

  fileprivate static func optionalNumber(_ number: UInt64?) -> Self {
    .optional(number.map { Array(String($0).utf8) })
  }
}

extension JournalFields {
  fileprivate mutating func flag() -> Bool? {
    switch number() {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// The outer optional tells whether the field is right, the inner one whether it has a value.
  fileprivate mutating func optionalNumber() -> UInt64?? {
    guard let field = optional() else { return .none }
    guard let field else { return .some(nil) }
    guard let number = UInt64(String(decoding: field, as: UTF8.self)) else { return .none }
    return .some(number)
  }
}
