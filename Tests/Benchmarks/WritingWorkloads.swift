import Foundation
import Glibc

/// What programs write, in a folder of its own. What they have closed goes to the cloud while the next
/// ones write, as it does in use.
enum WritingWorkloads {
  private static let files = 2000
  private static let synced = 200
  private static let bigSize = 256 << 20
  private nonisolated(unsafe) static var known: [String: Paths] = [:]

  private static func paths(_ root: String, _ suffix: String) -> Paths {
    let key = root + suffix
    if let paths = known[key] { return paths }
    let paths = Paths((0..<files).map { "\(root)/scratch/f\($0)\(suffix)" })
    known[key] = paths
    return paths
  }

  private static func empty(_ root: String) throws {
    try Shell.run(["rm", "-rf", root + "/scratch"])
    guard mkdir(root + "/scratch", 0o755) == 0 else { throw Failure("mkdir: \(errno)") }
    _ = paths(root, "")
    _ = paths(root, ".new")
  }

  private static func create(_ root: String) throws {
    let bytes = [UInt8](repeating: 7, count: 4096)
    try paths(root, "").forEach { path in
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
      guard file >= 0, write(file, bytes, 4096) == 4096, close(file) == 0 else {
        throw Failure("create: \(errno)")
      }
    }
  }

  private static func fill(_ root: String) throws {
    try empty(root)
    try create(root)
  }

  private static func overwrite(_ root: String) throws {
    let bytes = [UInt8](repeating: 8, count: 4096)
    try paths(root, "").forEach { path in
      let file = open(path, O_WRONLY)
      guard file >= 0, pwrite(file, bytes, 4096, 0) == 4096, close(file) == 0 else {
        throw Failure("overwrite: \(errno)")
      }
    }
  }

  private static func rename(_ root: String) throws {
    for number in 0..<files {
      let path = "\(root)/scratch/f\(number)"
      guard Glibc.rename(path, path + ".new") == 0 else { throw Failure("rename: \(errno)") }
    }
  }

  private static func remove(_ root: String) throws {
    try paths(root, "").forEach { path in
      guard unlink(path) == 0 else { throw Failure("unlink: \(errno)") }
    }
  }

  private static func sync(_ root: String) throws {
    let bytes = [UInt8](repeating: 7, count: 4096)
    for number in 0..<synced {
      let file = open("\(root)/scratch/s\(number)", O_WRONLY | O_CREAT, 0o644)
      guard file >= 0, write(file, bytes, 4096) == 4096, fsync(file) == 0, close(file) == 0 else {
        throw Failure("fsync: \(errno)")
      }
    }
  }

  private static func sequential(_ root: String) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: repeatElement(7, count: buffer.count))
    let file = open(root + "/scratch/big", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    for _ in 0..<bigSize >> 20 {
      guard write(file, buffer.baseAddress, buffer.count) == buffer.count else {
        throw Failure("write: \(errno)")
      }
    }
    guard close(file) == 0 else { throw Failure("close: \(errno)") }
  }

  /// The archive lies beside all roots.
  static func makeArchive(of data: String, in folder: String) throws {
    try Shell.run(["tar", "-C", data + "/repository", "-cf", folder + "/source.tar", "src"])
  }

  private static func untar(_ root: String) throws {
    let archive = (root as NSString).deletingLastPathComponent + "/source.tar"
    try Shell.run(["tar", "-C", root + "/scratch", "-xf", archive])
  }

  static var all: [Workload] {
    [
      Workload(
        name: "create + write 4 KiB + close", count: files, prepare: empty, run: create),
      Workload(
        name: "open + overwrite 4 KiB + close", count: files, prepare: fill, run: overwrite),
      Workload(name: "rename", count: files, prepare: fill, run: rename),
      Workload(name: "unlink", count: files, prepare: fill, run: remove),
      Workload(name: "create + write + fsync + close", count: synced, prepare: empty, run: sync),
      Workload(
        name: "sequential write", isRate: true, count: bigSize, prepare: empty, run: sequential),
      Workload(name: "untar of 5k files", count: 5000, prepare: empty, run: untar),
    ]
  }
}
