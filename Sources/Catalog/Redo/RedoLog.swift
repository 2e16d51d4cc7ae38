internal import Glibc
internal import Platform

/// What programs have changed since the last commit, so that a killed process loses none of it.
///
/// A line for each change, written before the change is answered; all lines count from the same commit,
/// whose number each of them has. After the next commit the file is written from its beginning again, and
/// what is left of older lines does not count, for their number is another one. It is never synchronized:
/// an fsync is a commit.
///
/// Used under the catalog's lock only.
final class RedoLog {
  /// One line: an operation, with all that it depends on.
  struct Record: Hashable, Sendable {
    var operation: LocalOperation
    var time: Timestamp
    /// The numbers to be given out next, before the operation.
    var counters: Counters
  }

  private let path: String
  private var file: FileDescriptor?
  private var length: Int64 = 0
  private var count: UInt64 = 0

  init(path: String) { self.path = path }

  /// Appends a record after the commit of this number.
  ///
  /// - Returns: whether it is in the file.
  func append(_ record: Record, after commit: UInt64) -> Bool {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(160)
    RedoLine(commit: commit, index: count, record: record).append(to: &bytes)
    do throws(Errno) {
      if file == nil { file = try FileDescriptor.open(path, O_RDWR | O_CREAT) }
      let result = bytes.withUnsafeBytes { buffer in
        Result { () throws(Errno) in try file?.write(buffer, at: length) }
      }
      try result.get()
    } catch {
      return false
    }
    length += Int64(bytes.count)
    count += 1
    return true
  }

  /// All that was appended is committed.
  func begin() { (length, count) = (0, 0) }

  /// The records after the commit of this number.
  func records(after commit: UInt64) -> [Record] {
    guard let file = try? FileDescriptor.open(path, O_RDONLY), let status = try? file.status(),
      let bytes = try? file.read(Int(status.st_size))
    else { return [] }
    var records: [Record] = []
    for line in bytes.split(separator: JournalText.lineFeed, omittingEmptySubsequences: false) {
      guard let line = RedoLine(line), line.commit == commit, line.index == records.count else {
        break
      }
      records.append(line.record)
    }
    return records
  }

  /// Makes the file small again.
  func remove() {
    file = nil
    unlink(path)
    begin()
  }
}

extension FileDescriptor {
  /// The first bytes of a file.
  func read(_ count: Int) throws(Errno) -> [UInt8] {
    let result = Result { () throws(any Error) in
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
        done = try read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
      }
    }
    do { return try result.get() } catch { throw error as? Errno ?? .io }
  }
}
