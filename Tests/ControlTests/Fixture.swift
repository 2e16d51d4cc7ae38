import Control
import Foundation
import Glibc
import Platform
import Testing

/// A folder of its own, removed at the end.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/control-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }
    }
    try #require(made != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Answers what it is told.
enum Echo: ControlMethod {
  static let name = "test.echo"
  struct Params: Codable, Sendable { var text: String, times: Int? }
  struct Result: Codable, Equatable, Sendable { var text: String }
}

/// Waits until `Release`, or until it is cancelled.
enum Hold: ControlMethod {
  static let name = "test.hold"
  typealias Params = Nothing
  typealias Result = Nothing
}

/// Sends numbers with as many bytes of padding as wished.
enum Count: ControlMethod {
  static let name = "test.count"
  struct Params: Codable, Sendable { var to: Int, padding: Int }
  struct Result: Codable, Sendable { var sent: Int }
  struct Progress: Codable, Sendable { var number: Int, padding: String }
}

/// Always fails.
enum Fail: ControlMethod {
  static let name = "test.fail"
  typealias Params = Nothing
  typealias Result = Nothing
}

/// Holds any number of tasks until it is opened.
final class TestGate: Sendable {
  private let state = Locked((isOpen: false, waits: [Wait<Bool>]()))

  func open() {
    let waits = state.withLock { state in
      state.isOpen = true
      return state.waits
    }
    for wait in waits { wait.finish(true) }
  }

  /// Whether the gate was opened before the task was cancelled.
  func pass() async -> Bool {
    let wait = Wait<Bool>()
    let isOpen = state.withLock { state in
      state.waits.append(wait)
      return state.isOpen
    }
    if isOpen { return true }
    return await wait.value() != nil
  }
}

/// A server in a folder of its own.
final class TestServer {
  let folder: TemporaryFolder
  let server: ControlServer
  let path: String
  let gate = TestGate()
  let wasCancelled = Wait<Bool>()
  let counted = Locked(0)

  init(below subfolder: String = "") throws {
    folder = try TemporaryFolder()
    let directory = folder.path + subfolder
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    path = directory + "/control.sock"
    var methods = ControlMethods()
    methods.register(Echo.self) { params, _ in
      Echo.Result(text: String(repeating: params.text, count: params.times ?? 1))
    }
    let (gate, wasCancelled, counted) = (gate, wasCancelled, counted)
    methods.register(Hold.self) { _, _ throws(ControlError) in
      guard await gate.pass() else {
        wasCancelled.finish(true)
        throw ControlError(.cancelled, "the wait was cancelled")
      }
      return Nothing()
    }
    methods.register(Count.self) { params, context in
      let padding = String(repeating: "x", count: params.padding)
      for number in 1...params.to {
        guard await context.notify(Count.Progress(number: number, padding: padding)) else { break }
        counted.withLock { $0 = number }
      }
      return Count.Result(sent: params.to)
    }
    methods.register(Fail.self) { _, _ throws(ControlError) in
      throw ControlError(
        .refused, "it is open", remedy: "close it", errno: .busy)
    }
    server = ControlServer(path: path, workers: WorkerPool(threads: 2), methods: methods)
    try server.start()
  }

  deinit { server.stop() }

  func client() throws -> ControlClient { try ControlClient(path: path) }
}

/// A caller that writes and reads raw lines; a line that does not come in ten seconds is nil.
final class RawCaller {
  private let socket: CInt
  private var bytes: [UInt8] = []

  init(path: String) throws {
    socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { [socket] in
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(socket) }

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ text: [UInt8]) {
    var done = 0
    while done < text.count {
      let count = text.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress.map { $0 + done }, text.count - done, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      done += count
    }
  }

  func endWriting() { shutdown(socket, CInt(SHUT_WR)) }

  func line() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  /// Whether the server has closed the connection.
  func isAtEnd() -> Bool {
    var byte: UInt8 = 0
    return bytes.isEmpty && recv(socket, &byte, 1, 0) == 0
  }
}
