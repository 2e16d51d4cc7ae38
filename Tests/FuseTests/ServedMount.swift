import Fuse
import Glibc
import Platform
import Testing

/// A mount that the test server serves in a process of its own.
final class ServedMount {
  let folder: String
  let server: TestProcess
  /// The mountpoint.
  var path: String { folder + "/mount" }

  /// Starts the server and waits until it is mounted.
  init(_ settings: [String] = []) throws {
    folder = try Self.makeFolder()
    mkdir(folder + "/mount", 0o755)
    server = try TestProcess(try Self.serverPath(), [folder + "/mount"] + settings)
    #expect(try server.line() == "ready")
  }

  deinit {
    kill(server.process, SIGTERM)
    server.wait()
    try? MountTable.unmount(path, lazily: true)
    rmdir(path)
    unlink(folder + "/backing")
    rmdir(folder)
  }

  /// Whether mounts can be made here at all.
  static var isPossible: Bool { access("/dev/fuse", F_OK) == 0 && geteuid() == 0 }

  var isMounted: Bool { MountTable.current().contains { $0.mountpoint == path } }

  /// Sends a command and returns the server's answer.
  func tell(_ command: String) throws -> String? {
    server.send(command)
    return try server.line()
  }

  /// A new folder for one test.
  static func makeFolder() throws -> String {
    var template = Array("/tmp/fuse-test-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    chmod(made, 0o755)
    return String(cString: made)
  }

  /// The server, which is built beside the tests.
  static func serverPath() throws -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      let characters = bytes.bindMemory(to: CChar.self)
      return characters.baseAddress.map { readlink("/proc/self/exe", $0, bytes.count) } ?? -1
    }
    try #require(count > 0)
    let own = String(decoding: buffer[..<count], as: UTF8.self)
    let slash = try #require(own.lastIndex(of: "/"))
    let path = own[..<slash] + "/FuseTestServer"
    try #require(access(String(path), X_OK) == 0, "\(path) is not built")
    return String(path)
  }
}
