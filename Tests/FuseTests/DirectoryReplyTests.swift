import CFuse
import Fuse
import Glibc
import Platform
import Testing

@Suite("Listings")
struct DirectoryReplyTests {
  private func request(_ size: UInt32, from position: UInt64 = 0) -> [UInt8] {
    var request = fuse_read_in()
    (request.size, request.offset) = (size, position)
    return bytes(of: request)
  }

  private func record(inode: UInt64, next: UInt64, type: UInt32, _ text: String) -> [UInt8] {
    let head = cfuse_dirent(ino: inode, off: next, namelen: UInt32(text.utf8.count), type: type)
    let padding = (8 - text.utf8.count % 8) % 8
    return bytes(of: head) + Array(text.utf8) + [UInt8](repeating: 0, count: padding)
  }

  @Test("READDIR answers names, numbers and types")
  func plain() throws {
    let stub = try KernelStub.started(FixedFiles())
    let reply = try stub.call(FUSE_READDIR, request(100))
    let dot = record(inode: 1, next: 1, type: 4, ".")
    let entry = record(inode: 7, next: 2, type: 8, "entry1")
    #expect(reply.body == dot + entry + record(inode: 7, next: 3, type: 8, "entry2"))
  }

  @Test("READDIRPLUS answers entries too, but none for the folder itself")
  func plus() throws {
    let stub = try KernelStub.started(FixedFiles())
    let reply = try stub.call(FUSE_READDIRPLUS, request(400))
    let dot = bytes(of: fuse_entry_out()) + record(inode: 1, next: 1, type: 4, ".")
    let entry = bytes(of: ReplyTests.entry) + record(inode: 7, next: 2, type: 8, "entry1")
    #expect(reply.body == dot + entry)
  }

  @Test(
    "a listing goes on where the last answer was full, and ends empty", arguments: [512, 65536])
  func wholeListing(_ size: UInt32) throws {
    let stub = try KernelStub.started(FixedFiles())
    var position: UInt64 = 0
    var names: [String] = []
    while true {
      let body = try stub.call(FUSE_READDIR, request(size, from: position)).body
      #expect(body.count <= Int(size))
      if body.isEmpty { break }
      var rest = body[...]
      while !rest.isEmpty {
        let head = Array(rest).withUnsafeBytes { $0.loadUnaligned(as: cfuse_dirent.self) }
        names.append(String(decoding: rest.dropFirst(24).prefix(Int(head.namelen)), as: UTF8.self))
        rest = rest.dropFirst((24 + Int(head.namelen) + 7) / 8 * 8)
        position = head.off
      }
    }
    #expect(names == ["."] + (1..<1000).map { "entry\($0)" })
  }

  @Test("an answer too small for one entry is empty")
  func tooSmall() throws {
    let stub = try KernelStub.started(FixedFiles())
    #expect(try stub.call(FUSE_READDIR, request(24)).body.isEmpty)
  }
}
