import Foundation
import Glibc

/// A file system that holds the data set.
protocol Candidate: AnyObject {
  var name: String { get }
  /// Where the data set is seen.
  var root: String { get }
  /// Mounts again, so that the kernel knows nothing of it.
  func remount() throws
  /// Returns when it does no work of its own any more.
  func settle() throws
  func end()
}

extension Candidate {
  func settle() throws {}
}

/// The folder itself.
final class Native: Candidate {
  let name = "native"
  let root: String
  init(_ root: String) { self.root = root }
  func remount() throws {}
  func end() {}
}

/// Empties the kernel's caches: "1" pages, "2" names and attributes. Only root may.
func dropCaches(_ what: String) {
  let file = open("/proc/sys/vm/drop_caches", O_WRONLY)
  guard file >= 0 else { return }
  _ = write(file, what, 1)
  close(file)
}

/// The same folder through bindfs, a plain FUSE file system in C.
final class Bindfs: Candidate {
  let name = "bindfs"
  let root: String
  private let source: String

  init(_ source: String, at root: String) throws {
    self.source = source
    self.root = root
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    try mount()
  }

  func remount() throws {
    end()
    try mount()
  }

  func end() { _ = try? Shell.run(["fusermount3", "-u", root]) }
  private func mount() throws { try Shell.run(["bindfs", "--no-allow-other", source, root]) }
}

/// The same folder as the cloud of a drive on which everything is.
final class FauxDrive: Candidate {
  let name: String
  let root: String
  private let arguments: [String]
  private let program: String

  init(
    _ name: String, cloud: String, at root: String, world: String, profile: String, program: String
  ) throws {
    self.name = name
    self.root = root
    self.program = program
    arguments = [
      program, "mount", root, "--cloud", cloud, "--profile", profile, "--world", world,
    ]
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    try Shell.run(arguments)
  }

  /// Also waits until the drive has looked for what changed in the cloud meanwhile, which bindfs never
  /// does and which would run beside the workload.
  func remount() throws {
    end()
    try Shell.run(arguments)
    try Shell.run([program, "cloud", "refresh", root])
  }

  /// What was written before is in the cloud then.
  func settle() throws {
    while try Shell.run(
      ["getfattr", "--only-values", "--absolute-names", "-n", "user.fauxdrive.pending", root])
      != "0"
    {}
  }

  func end() { _ = try? Shell.run([program, "unmount", root]) }
}
