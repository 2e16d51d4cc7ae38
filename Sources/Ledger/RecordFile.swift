internal import Glibc
internal import Platform

/// The file of finished records: JSON, one a line.
///
/// Beside it, `FILE.next` holds the first number that was not reserved, so that no number is used twice
/// even after a killed process.
final class RecordFile: Sendable {
  /// The first number to be given out.
  let nextID: UInt64

  private let path: String
  private let maximumSize: Int64
  private let state: Locked<State>

  private struct State: Sendable {
    var file: Handle?
    var size: Int64
    var error: LedgerError?
  }

  /// A descriptor in a box, since a lock's state must be copyable.
  private final class Handle: Sendable {
    let descriptor: FileDescriptor
    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
  }

  init(path: String, maximumSize: Int64) throws(LedgerError) {
    self.path = path
    self.maximumSize = maximumSize
    let known = Self.readNextID(path)
    // Lines without the number that goes with them: keep them, but apart.
    if known == nil { rename(path, path + ".1") }
    nextID = known ?? 1
    let (file, size) = try Self.open(path)
    state = Locked(State(file: file, size: size))
    reserve(upTo: nextID)
    if let error = lastError { throw error }
  }

  var lastError: LedgerError? { state.withLock { $0.error } }

  /// Appends one line.
  func append(_ record: Record) {
    let line = record.json + "\n"
    state.withLock { state in
      do throws(LedgerError) {
        if state.size >= maximumSize || state.file == nil { try rotate(&state) }
        guard let file = state.file else { return }
        state.size += Int64(try write(line, to: file, at: state.size))
        state.error = nil
      } catch {
        state.error = error
      }
    }
  }

  /// Notes that numbers below this one may be in use.
  func reserve(upTo id: UInt64) {
    do throws(Errno) {
      let file = try FileDescriptor.open(path + ".next", O_RDWR | O_CREAT)
      // Twenty digits, so that a shorter number never leaves an old digit behind.
      let digits = String(id)
      let text = String(repeating: "0", count: 20 - digits.count) + digits + "\n"
      try Self.write(text, file, at: 0)
    } catch {
      state.withLock { $0.error = LedgerError(path: path + ".next", errno: error) }
    }
  }

  private func rotate(_ state: inout State) throws(LedgerError) {
    if state.size >= maximumSize { rename(path, path + ".1") }
    (state.file, state.size) = try Self.open(path)
  }

  private func write(_ line: String, to file: Handle, at offset: Int64) throws(LedgerError) -> Int {
    do throws(Errno) {
      try Self.write(line, file.descriptor, at: offset)
      return line.utf8.count
    } catch {
      throw LedgerError(path: path, errno: error)
    }
  }

  private static func write(
    _ text: String, _ file: borrowing FileDescriptor, at offset: Int64
  ) throws(Errno) {
    try Array(text.utf8).span.bytes.withUnsafeBytes { bytes throws(Errno) in
      try file.write(bytes, at: offset)
    }
  }

  private static func open(_ path: String) throws(LedgerError) -> (Handle, Int64) {
    do throws(Errno) {
      let file = try FileDescriptor.open(path, O_RDWR | O_CREAT)
      let size = try file.status().st_size
      return (Handle(file), Int64(size))
    } catch {
      throw LedgerError(path: path, errno: error)
    }
  }

  private static func readNextID(_ path: String) -> UInt64? {
    guard let file = try? FileDescriptor.open(path + ".next", O_RDONLY) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = try? bytes.withUnsafeMutableBytes { buffer throws(Errno) in
      try file.read(into: buffer, at: 0)
    }
    guard count == 20 else { return nil }
    return UInt64(String(decoding: bytes, as: UTF8.self)).map { max($0, 1) }
  }
}
