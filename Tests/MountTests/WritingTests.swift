import Control
import DriveClient
import Foundation
import Ledger
import MountKit
import Testing

/// What programs write on a real mount, as far as a core without a kernel cannot show it.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct WritingTests {
  /// semantics: "A change of a document's date or permissions on this device leaves its content here."
  @Test(arguments: ["icloud", "synology"])
  func `what this device tells of a document does not bring it again`(profile: String) throws {
    let drive = try MountedDrive(profile, options: [])
    let path = drive.at("doc")
    for command in [
      "echo one >\"$0\"", "touch -d 2001-02-03 \"$0\"", "chmod 600 \"$0\"",
      "echo two >>\"$0\"; touch -d 2002-03-04 \"$0\"",
    ] {
      let ended = try drive.run("sh", "-c", command, path)
      #expect(ended.status == 0, "\(ended)")
      try drive.awaitUploads()
      let records = try drive.world().records(LedgerFilter(kinds: [.eviction, .conflict]))
      #expect(records.isEmpty, "\(command): \(records.map(\.line))")
    }
    let status = try drive.drive().status(["/doc"]).first?.info?.status
    #expect(status == .current)
    #expect(try drive.run("diff", "-r", drive.mountpoint, drive.cloud).status == 0)
  }

  /// The kernel reads a large document by itself, and what is written is still told to the drive.
  ///
  @Test(arguments: ["local", "icloud"])
  func `a large document that is being read is written`(profile: String) throws {
    let old = [UInt8](repeating: 1, count: 2 << 20)
    let drive = try MountedDrive(profile, cloud: ["large": old], options: [])
    let path = drive.at("large")
    _ = try drive.drive().download(["/large"])
    let reader = open(path, O_RDONLY)
    defer { close(reader) }
    #expect(pread(reader, at: 0, count: 3) == [1, 1, 1])
    let writer = open(path, O_RDWR | O_APPEND)
    #expect(pread(writer, at: 0, count: 3) == [1, 1, 1])
    #expect(write(writer, [2, 2, 2] as [UInt8], 3) == 3)
    #expect(pread(reader, at: Int64(old.count), count: 3) == [2, 2, 2])
    #expect(pread(writer, at: Int64(old.count), count: 3) == [2, 2, 2])
    close(writer)
    try drive.awaitUploads()
    #expect(try inCloud("large", drive) == old + [2, 2, 2])
    #expect(truncate(path, 1) == 0)
    #expect(pread(reader, at: 0, count: 3) == [1])
    try drive.awaitUploads()
    #expect(try inCloud("large", drive) == [1])
    let other = open(path, O_WRONLY | O_TRUNC)
    #expect(write(other, [3] as [UInt8], 1) == 1)
    close(other)
    #expect(pread(reader, at: 0, count: 3) == [3])
    try drive.awaitUploads()
    #expect(try inCloud("large", drive) == [3])
  }

  /// semantics: "What a program changes through a mapping reaches the cloud; where another one was reading the document before it was opened for writing, and the kernel serves that one by itself, it does when a descriptor that may write is synchronized or closed, when the document is opened again, and when the drive is unmounted."
  @Test func `a large document that is being read is mapped and written`() throws {
    let old = [UInt8](repeating: 1, count: 2 << 20)
    let drive = try MountedDrive("icloud", cloud: ["large": old], options: [])
    let path = drive.at("large")
    _ = try drive.drive().download(["/large"])
    let reader = open(path, O_RDONLY)
    defer { close(reader) }
    #expect(pread(reader, at: 0, count: 1) == [1])
    let writer = open(path, O_RDWR)
    let mapping = try #require(mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writer, 0))
    try #require(mapping != MAP_FAILED)
    let byte = mapping.assumingMemoryBound(to: UInt8.self)
    byte.pointee = 2
    #expect(pread(reader, at: 0, count: 1) == [2])
    #expect(fsync(writer) == 0)
    close(writer)
    try drive.awaitUploads()
    #expect(try inCloud("large", drive) == [2] + old.dropFirst())
    // Nobody has a descriptor any more, but the mapping.
    byte.pointee = 3
    #expect(munmap(mapping, 4096) == 0)
    close(open(path, O_RDONLY))
    try drive.awaitUploads()
    #expect(try inCloud("large", drive) == [3] + old.dropFirst())
  }

  private func inCloud(_ name: String, _ drive: MountedDrive) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(filePath: drive.cloud + "/" + name)))
  }

  private func pread(_ file: CInt, at offset: Int64, count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = Foundation.pread(file, &bytes, count, off_t(offset))
    return read < 0 ? [] : Array(bytes.prefix(read))
  }
}
