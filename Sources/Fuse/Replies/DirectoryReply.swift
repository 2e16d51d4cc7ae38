internal import CFuse
internal import Glibc
public import Platform

/// The answer to READDIR and READDIRPLUS: names, filled in one after the other.
///
/// Append entries until `append` says no or there are no more, then consume it with `finish` or
/// `fail`; an empty answer ends the listing. Dropped unanswered, it answers EIO. Never hold it: a
/// waiting READDIR stalls the whole folder in the kernel.
public struct DirectoryReply: ~Copyable, @unchecked Sendable {
  let answer: RequestAnswer
  private let buffer: UnsafeMutableRawBufferPointer
  private var used = 0
  /// Whether the kernel wants entries with attributes (READDIRPLUS).
  ///
  /// Then each `append` of an entry counts as a lookup of its node; the plain form does not.
  public let wantsEntries: Bool

  init(_ answer: RequestAnswer, wantsEntries: Bool) {
    self.answer = answer
    self.wantsEntries = wantsEntries
    buffer = answer.core._withUnsafeGuaranteedRef { $0.buffers.take(Int(answer.limit)) }
  }

  deinit {
    answer.core._withUnsafeGuaranteedRef { $0.buffers.give(buffer) }
    answer.fail(.io)
  }

  /// Who asked.
  public var caller: Caller { answer.caller }

  /// Appends a name without attributes: for `.` and `..`, and where `wantsEntries` is false.
  ///
  /// - Parameters:
  ///   - kind: the type bits of `st_mode`.
  ///   - next: what the kernel gives to continue behind this entry; not 0.
  /// - Returns: false when it does not fit; then nothing was appended.
  public mutating func append(
    _ name: Span<UInt8>, inode: InodeNumber, kind: UInt32, next: UInt64
  ) -> Bool {
    let type = (kind & S_IFMT) >> 12
    guard wantsEntries else {
      return append(name, prefix: (), inode: inode, type: type, next: next)
    }
    return append(name, prefix: fuse_entry_out(), inode: inode, type: type, next: next)
  }

  /// Appends a name with its entry; where `wantsEntries` is false, only number and type are sent.
  ///
  /// - Returns: false when it does not fit; then nothing was appended, and no lookup counts.
  public mutating func append(_ name: Span<UInt8>, _ entry: Entry, next: UInt64) -> Bool {
    let attributes = entry.attributes
    guard wantsEntries else {
      return append(
        name, prefix: (), inode: attributes.inode, type: attributes.directoryEntryType, next: next)
    }
    return append(
      name, prefix: fuse_entry_out(entry), inode: attributes.inode,
      type: attributes.directoryEntryType, next: next)
  }

  /// Whether nothing was appended yet.
  public var isEmpty: Bool { used == 0 }

  /// Answers with what was appended.
  ///
  /// - Returns: whether the kernel took the answer; if not, no lookup counts.
  @discardableResult
  public consuming func finish() -> Bool {
    let (answer, buffer, used) = (answer, buffer, used)
    discard self
    let core = answer.core.takeUnretainedValue()
    let result = answer.send(UnsafeRawBufferPointer(rebasing: buffer.prefix(used)))
    core.buffers.give(buffer)
    return result
  }

  /// Answers with an error; what was appended is dropped, and no lookup counts.
  @discardableResult
  public consuming func fail(_ error: Errno) -> Bool {
    let (answer, buffer) = (answer, buffer)
    discard self
    answer.core._withUnsafeGuaranteedRef { $0.buffers.give(buffer) }
    return answer.fail(error)
  }

  @inline(__always)
  private mutating func append<Prefix: BitwiseCopyable>(
    _ name: Span<UInt8>, prefix: Prefix, inode: InodeNumber, type: UInt32, next: UInt64
  ) -> Bool {
    precondition(!name.isEmpty, "an entry has a name")
    let header = cfuse_dirent(
      ino: inode.rawValue, off: next, namelen: UInt32(name.count), type: type)
    let prefixSize = MemoryLayout<Prefix>.size
    let nameOffset = prefixSize + MemoryLayout<cfuse_dirent>.size
    let size = (nameOffset + name.count + 7) & ~7
    guard used + size <= Int(answer.limit), let base = buffer.baseAddress else { return false }
    let start = base + used
    if prefixSize > 0 { start.storeBytes(of: prefix, as: Prefix.self) }
    start.storeBytes(of: header, toByteOffset: prefixSize, as: cfuse_dirent.self)
    // The padding is sent too: clear the last word before the name covers its part of it.
    start.storeBytes(of: 0, toByteOffset: size - 8, as: UInt64.self)
    name.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      (start + nameOffset).copyMemory(from: source, byteCount: bytes.count)
    }
    used += size
    return true
  }
}
