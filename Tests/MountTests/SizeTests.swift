import Control
import DriveClient
import Foundation
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// A cloud of a hundred thousand items.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct SizeTests {
  /// semantics: "A mount takes as long with a hundred thousand items in the cloud as with ten: nothing is listed before somebody asks."
  /// semantics: "Every item of a large cloud is listed exactly once."
  /// semantics: "An item that the kernel knows costs the drive less than 250 bytes of memory."
  @Test(.timeLimit(.minutes(15)))
  func `a hundred thousand items cost a mount nothing, and memory little`() throws {
    let small = try MountedDrive("icloud", mounting: false)
    try Self.fill(small.cloud, folders: 1, flat: 5, each: 3)
    let large = try MountedDrive("icloud", options: [], mounting: false)
    let count = try Self.fill(large.cloud, folders: 500, flat: 50_499, each: 98)
    #expect(count == 100_000)
    let clock = ContinuousClock()
    let short = try clock.measure { try small.mount() }
    let long = try clock.measure { try large.mount() }
    print("mounting: \(short) with ten items, \(long) with \(count)")
    #expect(long < short * 3 + .seconds(1))
    let world = try large.world()
    #expect(try world.records().isEmpty)
    let names = try large.run("find", large.mountpoint, "-mindepth", "1").output
      .split(separator: "\n")
    #expect(names.count == count)
    #expect(Set(names).count == count)
    // The kernel forgets them, and asks for one half after the other: what the drive keeps of the first
    // half (buffers, the ledger's latest records) it does not need again for the second.
    #expect(try large.unmount().status == 0)
    try large.mount()
    try large.run("ls", "-l", large.at("flat"))
    let before = large.server.memory
    let listed = try large.run(
      "sh", "-c", "ls -lR \(large.mountpoint) | grep -c '^[-d]'")
    #expect(listed.output == "\(count)\n", "\(listed)")
    let bytes = (large.server.memory - before) / (count - 50_500)
    print("memory: \(bytes) bytes for each of \(count - 50_500) items")
    #expect(bytes < 250)
    #expect(try large.unmount().status == 0)
  }

  /// Makes a flat folder, and folders of so many documents each.
  @discardableResult
  private static func fill(
    _ cloud: String, folders: Int, flat: Int, each: Int
  ) throws -> Int {
    let script = """
      set -e; cd "$0"; mkdir flat; cd flat; seq -f 'document %.0f' $2 | tr '\\n' '\\0' | xargs -0 touch
      cd ..; i=0
      while [ $i -lt $1 ]; do
        mkdir "folder $i"; seq -f "folder $i/text %.0f" $3 | tr '\\n' '\\0' | xargs -0 touch
        i=$((i + 1))
      done
      find . -mindepth 1 | wc -l
      """
    let made = try TestProgram.run(
      ["sh", "-c", script, cloud, String(folders), String(flat), String(each)])
    guard let count = Int(made.output.trimmingCharacters(in: .newlines)) else {
      throw TestFailure("\(made)")
    }
    return count
  }
}
