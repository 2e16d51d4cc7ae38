import Control
import Foundation
import Glibc
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct SocketTests {
  private static func mode(of path: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o777
  }

  @Test func theSocketIsPrivate() throws {
    let server = try TestServer()
    #expect(try Self.mode(of: server.path) == 0o600)
    #expect(try Self.mode(of: server.folder.path) == 0o700)
  }

  @Test func aFolderThatOthersCanEnterIsRefused() throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    let server = ControlServer(
      path: folder.path + "/control.sock", workers: WorkerPool(threads: 1),
      methods: ControlMethods())
    let error = try #require(throws: ControlError.self) { try server.start() }
    #expect(error.code == .denied && error.exitCode == .noPermission)
    #expect(error.remedy?.contains("chmod 700") == true)
  }

  @Test func theFolderIsMadeWhenItIsMissing() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/world/control.sock"
    let server = ControlServer(
      path: path, workers: WorkerPool(threads: 1), methods: ControlMethods())
    try server.start()
    #expect(try Self.mode(of: folder.path + "/world") == 0o700)
    server.stop()
    #expect(access(path, F_OK) != 0)
    server.stop()
  }

  @Test func aSecondServerIsRefusedAndTheFirstGoesOn() throws {
    let server = try TestServer()
    let second = ControlServer(
      path: server.path, workers: WorkerPool(threads: 1), methods: ControlMethods())
    let error = try #require(throws: ControlError.self) { try second.start() }
    #expect(error.code == .exists)
    #expect(try server.client().call(Echo.self, .init(text: "a", times: 1)).text == "a")
  }

  @Test func aSocketThatAKilledServerLeftIsReplaced() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/control.sock"
    let left = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    close(left)
    let server = ControlServer(
      path: path, workers: WorkerPool(threads: 1), methods: ControlMethods())
    try server.start()
    defer { server.stop() }
    #expect(throws: ControlError.self) { try ControlClient(path: path).call(Fail.self, Nothing()) }
  }

  @Test func aPathMayBeLongerThanAnAddress() throws {
    let deep = "/" + String(repeating: "deep folder/", count: 30) + "end"
    let server = try TestServer(below: deep)
    #expect(server.path.utf8.count > 300)
    #expect(try server.client().call(Echo.self, .init(text: "a", times: 1)).text == "a")
  }

  @Test func nobodyListeningIsToldAsSuch() throws {
    let folder = try TemporaryFolder()
    for path in ["/none.sock", "/none/none.sock"] {
      let error = try #require(throws: ControlError.self) {
        try ControlClient(path: folder.path + path)
      }
      #expect(error.code == .notRunning && error.exitCode == .unavailable)
    }
  }

  @Test func aCallEndsAtItsTimeOutAndItsRequestIsCancelled() async throws {
    let server = try TestServer()
    let client = try server.client()
    let error = try #require(throws: ControlError.self) {
      try client.call(Hold.self, Nothing(), timeout: .milliseconds(50))
    }
    #expect(error.code == .timedOut && error.exitCode == .temporaryFailure)
    #expect(await server.wasCancelled.value() == true)
    // The late answer of the first call is not taken for that of the second.
    #expect(try client.call(Echo.self, .init(text: "a", times: 1)).text == "a")
  }

  @Test func aStopAnswersWhatWaits() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    caller.write(
      #"{"jsonrpc": "2.0", "id": 1, "method": "test.count", "params": {"to": 1, "padding": 0}}"#
        + "\n")
    caller.write(#"{"jsonrpc": "2.0", "id": 2, "method": "test.hold"}"# + "\n")
    while caller.line()?.contains("\"id\":1") == false {}
    server.server.stop()
    #expect(caller.line()?.contains("\"code\":6,") == true)
    #expect(caller.isAtEnd())
    #expect(throws: ControlError.self) { try server.client() }
  }

  @Test func aServerThatGoesAwayIsToldAsSuch() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/control.sock"
    let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0 && listen(listener, 1) == 0)
    let client = try ControlClient(path: path)
    close(accept(listener, nil, nil))
    close(listener)
    let error = try #require(throws: ControlError.self) { try client.call(Fail.self, Nothing()) }
    #expect(error.code == .disconnected)
  }

  private static let canBeSomebodyElse =
    geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0 && access("/usr/bin/perl", X_OK) == 0

  /// The modes keep others away already; here they are opened by hand to reach the second check.
  @Test(.enabled(if: canBeSomebodyElse, "needs root to become somebody else"))
  func anotherUserIsSentAwayWhateverTheModes() throws {
    let server = try TestServer()
    chmod(server.folder.path, 0o755)
    chmod(server.path, 0o666)
    let script =
      "use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die $!; "
      + "print scalar <$s>;"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments = [
      "--reuid=65534", "--clear-groups", "/usr/bin/perl", "-e", script, server.path,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(answer.contains("\"code\":7,"))
    #expect(answer.contains("belongs to another user"))
    #expect(try server.client().call(Echo.self, .init(text: "a", times: 1)).text == "a")
  }
}
