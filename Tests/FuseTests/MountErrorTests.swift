import Fuse
import Glibc
import Platform
import Testing

@Suite(
  "A mountpoint that will not do", .timeLimit(.minutes(15)),
  .enabled(if: ServedMount.isPossible, "needs /dev/fuse and root"))
struct MountErrorTests {
  private func mount(_ path: String) -> FuseError? {
    let session = Session(operations: FixedFiles())
    return #expect(throws: FuseError.self) {
      try session.mount(at: path, MountOptions(source: "test"))
    }
  }

  @Test("that does not exist is named, with what to do")
  func missing() throws {
    let folder = try ServedMount.makeFolder()
    defer { rmdir(folder) }
    let error = mount(folder + "/none")
    #expect(error?.code == .mountpointMissing)
    #expect(error?.message.contains("Create the folder first") == true)
    #expect(mount(folder + "/none/deeper")?.code == .mountpointMissing)
  }

  @Test("that is a file is refused")
  func file() throws {
    let folder = try ServedMount.makeFolder()
    defer { _ = try? TestProcess.shell("rm -r \(folder)") }
    _ = try TestProcess.shell("touch \(folder)/file")
    #expect(mount(folder + "/file")?.code == .mountpointNotDirectory)
  }

  @Test("that has entries is refused, unless that is allowed")
  func notEmpty() throws {
    let folder = try ServedMount.makeFolder()
    defer { _ = try? TestProcess.shell("rm -r \(folder)") }
    _ = try TestProcess.shell("touch \(folder)/.hidden")
    #expect(mount(folder)?.code == .mountpointNotEmpty)
    var options = MountOptions(source: "test")
    options.allowsNonEmpty = true
    let session = Session(operations: FixedFiles())
    try session.mount(at: folder, options)
    #expect(session.mountpoint == folder)
    #expect(session.connection != nil)
    session.stop()
    #expect(session.end == .stopped)
  }

  @Test("that is a mount already is refused, also by a link to it")
  func inUse() throws {
    let served = try ServedMount()
    #expect(mount(served.path)?.code == .mountpointInUse)
    let link = served.folder + "/link"
    symlink(served.path, link)
    defer { unlink(link) }
    #expect(mount(link)?.code == .mountpointInUse)
    #expect(mount(served.path + "/")?.code == .mountpointInUse)
  }
}
