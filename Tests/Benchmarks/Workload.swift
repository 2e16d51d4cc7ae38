import Foundation
import Glibc

/// One timed piece of work on a mounted data set.
struct Workload {
  let name: String
  /// Whether the file system is mounted anew before it.
  var isCold = false
  /// Whether the result is a rate in MB/s rather than microseconds an operation.
  var isRate = false
  /// How many operations, or bytes for a rate.
  let count: Int
  /// Makes ready for it, untimed.
  var prepare: (String) throws -> Void = { _ in }
  /// Does the work on the root that is given, and nothing else.
  let run: (String) throws -> Void

  /// Microseconds an operation, or MB/s.
  func measure(_ candidate: any Candidate) throws -> Double {
    if isCold {
      try candidate.remount()
      // For all alike: the kernel has forgotten names and attributes below too, and kept pages.
      dropCaches("2")
    }
    let prepared = candidate.root
    try prepare(prepared)
    try candidate.settle()
    var start = timespec()
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &start)
    try run(prepared)
    clock_gettime(CLOCK_MONOTONIC, &end)
    let seconds =
      Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1_000_000_000
    return isRate ? Double(count) / seconds / 1_000_000 : seconds / Double(count) * 1_000_000
  }
}

/// Paths as C strings, made before the time is taken.
final class Paths {
  private let list: [UnsafeMutablePointer<CChar>]
  init(_ paths: [String]) { list = paths.map { strdup($0) } }
  deinit { for path in list { free(path) } }
  func forEach(_ body: (UnsafePointer<CChar>) throws -> Void) rethrows {
    for path in list { try body(path) }
  }
}

enum Workloads {
  private nonisolated(unsafe) static var known: [String: Paths] = [:]

  /// The small files below a root; made at the first use, which is never timed (see `warmUp`).
  static func paths(_ root: String, missing: Bool = false) -> Paths {
    let key = "\(root) \(missing)"
    if let paths = known[key] { return paths }
    let paths = Paths(DataSet.smallPaths(root, missing: missing))
    known[key] = paths
    return paths
  }

  private static func stat(_ root: String) throws {
    try paths(root).forEach { path in
      var status = Glibc.stat()
      guard lstat(path, &status) == 0, status.st_size == 4096 else { throw Failure("stat") }
    }
  }

  private static func openAndClose(_ root: String) throws {
    try paths(root).forEach { path in
      let file = open(path, O_RDONLY)
      guard file >= 0, close(file) == 0 else { throw Failure("open: \(errno)") }
    }
  }

  private static func read(_ root: String) throws {
    var buffer = [UInt8](repeating: 0, count: 4096)
    try paths(root).forEach { path in
      let file = open(path, O_RDONLY)
      guard file >= 0, pread(file, &buffer, 4096, 0) == 4096, buffer[1] == 7 else {
        throw Failure("read: \(errno)")
      }
      close(file)
    }
  }

  private static func missing(_ root: String) throws {
    try paths(root, missing: true).forEach { path in
      var status = Glibc.stat()
      guard lstat(path, &status) != 0, errno == ENOENT else { throw Failure("missing") }
    }
  }

  private static func access(_ root: String) throws {
    try paths(root).forEach { path in
      guard Glibc.access(path, R_OK) == 0 else { throw Failure("access") }
    }
  }

  private static func walk(_ folder: String) throws {
    guard let stream = opendir(folder) else { throw Failure("opendir \(folder): \(errno)") }
    defer { closedir(stream) }
    let descriptor = dirfd(stream)
    var status = Glibc.stat()
    var count = 0
    while let entry = readdir(stream) {
      let isThere = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) == 0
        }
      }
      guard isThere else { throw Failure("fstatat") }
      count += 1
    }
    guard count == DataSet.flat + 2 else { throw Failure("\(count) entries") }
  }

  private static func sequential(_ path: String) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    let file = open(path, O_RDONLY)
    defer { close(file) }
    var total = 0
    while true {
      let count = Glibc.read(file, buffer.baseAddress, buffer.count)
      if count <= 0 { break }
      guard buffer.load(as: UInt64.self) == UInt64(total >> 20) << 32 else {
        throw Failure("bytes")
      }
      total += count
    }
    guard total == DataSet.bigSize else { throw Failure("\(total) bytes") }
  }

  private static let randomReads = 20_000

  private static func random(_ path: String) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 4096)
    defer { buffer.deallocate() }
    let file = open(path, O_RDONLY)
    defer { close(file) }
    let blocks = DataSet.bigSize / 4096
    for number in 0..<randomReads {
      let offset = number &* 104_729 % blocks * 4096
      // Each word tells its mebibyte and its place in it.
      let expected = UInt64(offset >> 20) << 32 | UInt64((offset & 0xfffff) / 8)
      guard pread(file, buffer.baseAddress, 4096, off_t(offset)) == 4096,
        buffer.load(as: UInt64.self) == expected
      else { throw Failure("random read") }
    }
  }

  private static func gitStatus(_ root: String) throws {
    let changed = try git(root, ["status", "--porcelain"])
    guard changed.isEmpty else { throw Failure("git status: \(changed.prefix(80))") }
  }

  /// An index of each file system's own: one that knows its inode numbers and times.
  private static func git(_ root: String, _ arguments: [String]) throws -> String {
    try Shell.run(
      ["git", "-c", "safe.directory=*", "-C", root + "/repository"] + arguments,
      environment: ["GIT_INDEX_FILE": root + "-index", "GIT_OPTIONAL_LOCKS": "0"])
  }

  /// Everything that reads, in an order in which each cold row comes before its warm one.
  static var all: [Workload] {
    [
      Workload(name: "stat, first time", isCold: true, count: DataSet.small, run: stat),
      Workload(name: "stat, again", count: DataSet.small, run: stat),
      Workload(name: "access, again", count: DataSet.small, run: access),
      Workload(
        name: "stat of a missing name, first", isCold: true, count: DataSet.small, run: missing),
      Workload(name: "stat of a missing name, again", count: DataSet.small, run: missing),
      Workload(name: "open + close", count: DataSet.small, run: openAndClose),
      Workload(
        name: "open + read 4 KiB + close, cold", isCold: true, count: DataSet.small, run: read),
      Workload(name: "open + read 4 KiB + close, warm", count: DataSet.small, run: read),
      Workload(name: "walk + stat, 15k in one folder, cold", isCold: true, count: DataSet.flat) {
        try walk($0 + "/flat")
      },
      Workload(name: "walk + stat, again", count: DataSet.flat) { try walk($0 + "/flat") },
      Workload(name: "ls -lR, 15k in a tree, cold", isCold: true, count: DataSet.flat) {
        try Shell.run(["ls", "-lR", "--color=never", $0 + "/tree"])
      },
      Workload(
        name: "sequential read, cold", isCold: true, isRate: true, count: DataSet.bigSize
      ) { try sequential($0 + "/big") },
      Workload(name: "sequential read, warm", isRate: true, count: DataSet.bigSize) {
        try sequential($0 + "/big")
      },
      Workload(name: "random 4 KiB, warm", count: randomReads) { try random($0 + "/big") },
      Workload(name: "random 4 KiB, cold", isCold: true, count: randomReads) {
        try random($0 + "/big")
      },
      Workload(name: "git status, 5k files, cold", isCold: true, count: 5000, run: gitStatus),
      Workload(name: "git status, again", count: 5000, run: gitStatus),
    ]
  }

  /// Reads everything once, so that all of it is local, and makes the lists of paths.
  static func warmUp(_ root: String) throws {
    _ = paths(root, missing: true)
    try read(root)
    try sequential(root + "/big")
    try Shell.run(["ls", "-lR", root + "/tree", root + "/flat"])
    try Shell.run(["cp", root + "/repository/.git/index", root + "-index"])
    _ = try git(root, ["update-index", "-q", "--refresh"])
    try Shell.run(["sh", "-c", "cat \(root)/repository/src/*/* >/dev/null"])
  }
}
