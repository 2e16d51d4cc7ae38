import Cloud
import Glibc
import Platform
import Testing

struct DirectoryCopyTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("source")
  }

  private var source: String { folder.at("source") }
  private var copy: String { folder.at("copy") }

  @Test("A copy has the same files, links, modes and times")
  func everything() throws {
    try folder.makeFolder("source/f")
    try folder.write("text", to: "source/f/a")
    try folder.symlink("source/f/link", to: "../nowhere")
    try folder.chmod("source/f/a", 0o640)
    let times = [("f/a", 1000), ("f/link", 2000), ("f", 3000)]
    for (name, seconds) in times {
      try folder.setTime("source/\(name)", Timestamp(seconds: Int64(seconds), nanoseconds: 7))
    }
    try folder.chmod("source/f", 0o500)
    try DirectoryCopy.copy(source, to: copy)
    #expect(try folder.text("copy/f/a") == "text")
    for (name, seconds) in times {
      let (old, new) = (try folder.status("source/\(name)"), try folder.status("copy/\(name)"))
      #expect(new.st_mode == old.st_mode)
      #expect(new.st_mtim.tv_sec == seconds && new.st_mtim.tv_nsec == 7)
      #expect(new.st_size == old.st_size || name == "f")
    }
  }

  @Test("The source is not written to: its times stay")
  func sourceUntouched() throws {
    try folder.write("text", to: "source/a")
    let before = (try folder.status("source"), try folder.status("source/a"))
    try DirectoryCopy.copy(source, to: copy)
    let after = (try folder.status("source"), try folder.status("source/a"))
    #expect(before.0.st_ctim.tv_nsec == after.0.st_ctim.tv_nsec)
    #expect(before.1.st_ctim.tv_nsec == after.1.st_ctim.tv_nsec)
  }

  @Test(
    "Holes stay holes, and the data around them are right", arguments: ["middle", "end", "all"])
  func sparse(_ hole: String) throws {
    let size: Int64 = 8 << 20
    do {
      let file = try FileDescriptor.open(folder.at("source/a"), O_WRONLY | O_CREAT)
      try file.truncate(to: size)
      if hole != "all" { #expect(pwrite(file.rawValue, "begin", 5, 0) == 5) }
      if hole == "middle" { #expect(pwrite(file.rawValue, "end", 3, off_t(size - 3)) == 3) }
    }
    try DirectoryCopy.copy(source, to: copy)
    let (old, new) = (try folder.status("source/a"), try folder.status("copy/a"))
    #expect(new.st_size == off_t(size))
    #expect(new.st_blocks * 512 < 1 << 20 || new.st_blocks <= old.st_blocks)
    #expect(try folder.text("copy/a") == folder.text("source/a"))
  }

  @Test("Named pipes are left out")
  func pipes() throws {
    try folder.makePipe("source/pipe")
    try DirectoryCopy.copy(source, to: copy)
    #expect(throws: Errno.self) { try folder.status("copy/pipe") }
  }

  @Test("A copy into the folder itself, over something, or of nothing is refused with a reason")
  func refused() throws {
    try folder.write("text", to: "file")
    let cases: [(from: String, to: String, reason: String)] = [
      (source, folder.at("source/copy"), "must not lie in"),
      (source, folder.at("file"), "must be new"),
      (folder.at("missing"), copy, "create it"),
      (folder.at("file"), copy, "not a folder"),
    ]
    for (from, to, reason) in cases {
      let error = #expect(throws: CloudError.self) { try DirectoryCopy.copy(from, to: to) }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
    #expect(throws: Errno.self) { try folder.status("source/copy") }
    #expect(throws: Errno.self) { try folder.status("copy") }
  }

  @Test(
    "What cannot be read fails the copy with its path, and leaves nothing behind",
    .enabled(if: geteuid() != 0, "root may read everything"))
  func unreadable() throws {
    try folder.makeFolder("source/f")
    try folder.write("text", to: "source/f/secret")
    try folder.chmod("source/f/secret", 0)
    let error = #expect(throws: CloudError.self) { try DirectoryCopy.copy(source, to: copy) }
    #expect(error?.code == .denied)
    #expect(error?.message.contains("f/secret") == true)
    #expect(throws: Errno.self) { try folder.status("copy") }
  }
}
