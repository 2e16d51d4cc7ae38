import Foundation
import MountKit
import Testing

/// What the README tells a newcomer to type.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .timeLimit(.minutes(15)))
struct ReadmeTests {
  @Test func `the first use in the README works as it is written, and leaves nothing behind`()
    throws
  {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let blocks = text.split(separator: "<!-- A test runs the following block. -->\n```sh\n")
    let block = try #require(blocks.last?.split(separator: "```").first)
    let folder = try WatchedFolder()
    let programs = (MountedDrive.program as NSString).deletingLastPathComponent
    let ended = try TestProgram.run(
      ["/bin/sh", "-ec", String(block)],
      environment: ["HOME": folder.path, "XDG_STATE_HOME": "", "PATH": programs + ":/usr/bin:/bin"])
    #expect(ended.status == 0, "\(ended)")
    #expect(ended.output.contains("not here  21 B  hello.txt"), "\(ended)")
    #expect(ended.output.contains("\nHello from the cloud\n"))
    #expect(ended.output.contains("\nHello from elsewhere\n"))
    #expect(ended.output.contains("laptop is mounted on"))
    #expect(ended.errors.contains("Connection timed out"))
    #expect(
      ended.output.contains(
        #/read /hello.txt: ETIMEDOUT, starts content(, [0-9.]+ s)? \(cat \d+\)/#))
    #expect(folder.mounts.isEmpty)
    #expect(folder.entries == [".local", "Drive", "Laptop", "docs"])
    #expect(folder.processes.isEmpty)
  }
}
