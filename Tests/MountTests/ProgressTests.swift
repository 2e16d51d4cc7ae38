import MountKit
import Testing

/// What `fauxdrive download` shows meanwhile.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .timeLimit(.minutes(15)))
struct ProgressTests {
  @Test func `a long download shows its progress on a terminal, and elsewhere nothing`() throws {
    let photo = [UInt8](repeating: 7, count: 2_000_000)
    let drive = try MountedDrive("icloud", cloud: ["Photo.bmp": photo, "again": photo])
    try drive.run(MountedDrive.program, "network", "set", "--bandwidth", "2M", drive.mountpoint)
    let command = "'\(MountedDrive.program)' download '\(drive.at("Photo.bmp"))'"
    let shown = try drive.run("script", "-qefc", command, "/dev/null")
    #expect(shown.status == 0, "\(shown)")
    let lines = shown.output.split { $0 == "\r" || $0 == "\n" || $0 == "\r\n" }
    let bars = lines.filter { $0.contains("/1.9 MiB") }
    #expect(bars.count >= 3, "\(shown)")
    #expect(bars.allSatisfy { $0.contains("Photo.bmp") && $0.contains("%") })
    #expect(bars.contains { $0.contains("left") })
    #expect(bars.last?.contains("100%") == true)
    // The bar is gone when the result is there.
    #expect(lines.last?.contains("Photo.bmp") == true)
    let silent = try drive.run(MountedDrive.program, "download", drive.at("again"))
    #expect(silent.output == "STATE     SIZE  NAME\nhere   1.9 MiB  again\n")
    #expect(silent.errors.isEmpty)
  }
}
