import Fuse
import Testing

@Suite("The table of mounts")
struct MountTableTests {
  @Test("is read with its escapes and optional fields")
  func parse() throws {
    let text = """
      22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      42 27 0:300 / /tmp/a\\040b\\134c\\011d\\012e ro,nosuid - fuse.fauxdrive my\\040world rw,user_id=0
      43 27 0:41 / /x rw shared:2 master:3 propagate_from:4 - fuse /dev/fuse
      nonsense
      44 27 041 / /y rw - fuse s rw
      """
    let entries = MountTable.parse(text)
    #expect(entries.map(\.identifier) == [22, 42, 43])
    #expect(entries.map(\.isFuse) == [false, true, true])
    let entry = entries[1]
    #expect(entry.mountpoint == "/tmp/a b\\c\td\ne")
    #expect(entry.source == "my world")
    #expect(entry.type == "fuse.fauxdrive")
    #expect(entry.connection == 300)
    #expect(entry.options == "ro,nosuid")
    #expect(entry.superOptions == "rw,user_id=0")
    #expect(entries[2].superOptions == "")
  }

  @Test("has the root folder")
  func current() {
    #expect(MountTable.current().contains { $0.mountpoint == "/" })
  }

  @Test("a folder that is no mount cannot be unmounted")
  func notMounted() {
    let error = #expect(throws: FuseError.self) { try MountTable.unmount("/usr") }
    #expect([.notMounted, .refused].contains(error?.code))
  }
}
