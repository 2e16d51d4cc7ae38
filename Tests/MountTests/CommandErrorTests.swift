import Foundation
import MountKit
import Testing

/// What commands say when they cannot do what was asked.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .timeLimit(.minutes(15)))
struct CommandErrorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let status: Int32
    let says: [String]
    var testDescription: String { line }

    init(_ line: String, _ status: Int32, _ says: String...) {
      self.line = line
      self.status = status
      self.says = says
    }
  }

  static let cases = [
    Case("ls .", 66, "'.' is not on a FauxDrive mount\n  'fauxdrive status' lists the mounts\n"),
    Case("ls Drive/nothing", 66, "/nothing is not known on this device"),
    Case("status Drive/nothing", 66, "/nothing is not known on this device"),
    Case("download Drive/nothing", 66, "/nothing does not exist in the cloud"),
    Case("download Drive", 1, "/ is not a document; name the documents in it"),
    Case("download Drive/a ./a", 66, "'./a' is not on a FauxDrive mount"),
    Case("evict Drive/a", 1, "/a: its content is not on this device"),
    Case("cloud cat Drive/nothing", 66, "There is no /nothing in the cloud\n"),
    Case("cloud cat Drive/folder", 1, "/folder is not a document\n"),
    Case("clock advance Drive 5s", 69, "this world's clock is the system's\n  mount with --clock"),
    Case("clock advance Drive 5", 64, "'5' is not a duration such as 250ms, 30s, 1.5m or 2h"),
    Case("network set Drive", 64, "say what to set: --latency TIME, --bandwidth BYTES, or both"),
    Case("gate close --at nowhere Drive", 64, "there is no point 'nowhere'", "byte:N"),
    Case("gate open Drive 7", 66, "There is no closed gate \"7\"; list the gates to see them\n"),
    Case("gate fail --with EFOO Drive 1", 64, "'EFOO' is no error's name; use one such as EIO"),
    Case("grant add --process 1 Drive", 69, "this world is not scoped", "mount with --scoped"),
    Case("unmount Drive/folder", 64, "lies in the drive on '", "name that"),
    Case("unmount .", 66, "'.' is not on a FauxDrive mount"),
    Case(
      "mount Drive --cloud memory:", 73, "is mounted on '", "unmount it first: fauxdrive unmount"),
    Case("mount nowhere --cloud memory:", 66, "does not exist; make it: mkdir -p '"),
    Case("mount link --cloud memory:", 73, "is mounted on '"),
    Case("mount empty", 64, "a new world needs a cloud: add --cloud DIR"),
    Case("mount empty --cloud nowhere", 66, "the cloud's folder 'nowhere' does not exist"),
    Case("mount empty --cloud s3://x", 64, "use DIR, copy:DIR or memory:"),
    Case("mount empty --cloud memory: --profile synolgy", 65, "synolgy", "synology"),
    Case("mount empty --cloud empty", 64, "lies in the mountpoint", "mount beside it"),
    Case("mount cloud --cloud memory:", 73, "is not empty", "use an empty folder\n"),
  ]

  @Test func `every mistake has its exit status and says what to do`() throws {
    let drive = try MountedDrive("icloud", cloud: ["a": [1], "folder/b": [2]])
    try drive.run("ls", drive.mountpoint)
    for path in ["empty", "state"] {
      try FileManager.default.createDirectory(
        atPath: drive.folder + "/" + path, withIntermediateDirectories: false)
    }
    try FileManager.default.createSymbolicLink(
      atPath: drive.folder + "/link", withDestinationPath: "Drive")
    for expected in Self.cases {
      let ended = try TestProgram.run(
        [
          "/bin/sh", "-c", "cd \"$0\" && exec \"$1\" \(expected.line)", drive.folder,
          MountedDrive.program,
        ],
        environment: ["XDG_STATE_HOME": drive.folder + "/state"])
      #expect(ended.status == expected.status, "\(expected.line): \(ended)")
      for text in expected.says {
        #expect(ended.errors.contains(text), "\(expected.line): \(ended)")
      }
      #expect(ended.output.isEmpty, "\(expected.line): \(ended)")
    }
  }

  /// semantics: "Paths may be relative, lead through symbolic links, and hold any characters."
  @Test func `odd paths mean what they mean in a shell`() throws {
    let drive = try MountedDrive(
      "icloud", cloud: ["with space/new\nline": [1], "with space/q'\"uote": [2], "[a]*": [3]])
    try drive.run("ls", "-R", drive.mountpoint)
    try FileManager.default.createSymbolicLink(
      atPath: drive.folder + "/my link", withDestinationPath: "Drive/with space")
    let listing = "STATE     SIZE  NAME\nnot here   1 B  new\\u{A}line\nnot here   1 B  q'\"uote\n"
    for line in [
      "ls 'my link'", "ls Drive/'with space'/", "ls './my link/../with space'",
      "ls ~/Drive/with\\ space",
    ] {
      let ended = try Self.shell(line, in: drive)
      #expect(ended.output == listing, "\(line): \(ended)")
    }
    for name in ["'my link/new\nline'", "my\\ link/q\\'\\\"uote", "'Drive/[a]*'"] {
      #expect(
        try Self.shell("download \(name) && fauxdrive ls \(name)", in: drive).status == 0, "\(name)"
      )
    }
    let ledger = try Self.shell("ledger --kind transfer 'Drive/[a]*'", in: drive).output
    #expect(ledger.split(separator: "\n").count == 1, "\(ledger)")
  }

  private static func shell(_ line: String, in drive: MountedDrive) throws -> TestProgram.Ended {
    let programs = (MountedDrive.program as NSString).deletingLastPathComponent
    return try TestProgram.run(
      ["/bin/sh", "-c", "cd && fauxdrive \(line)"],
      environment: ["HOME": drive.folder, "PATH": programs + ":/usr/bin:/bin"])
  }
}
