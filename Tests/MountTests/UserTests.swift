import Control
import DriveClient
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// Drives of an ordinary user, and of several.
@Suite(.enabled(if: UserSpace.isPossible, "needs root to become an ordinary user, and fusermount3"))
struct UserTests {
  /// semantics: "An ordinary user mounts and uses a drive as root does; only passthrough is root's."
  @Test(arguments: ["icloud", "synology"], Kernel.allCases)
  func `an ordinary user has a drive`(profile: String, kernel: Kernel) throws {
    let user = try UserSpace()
    let document = Version(1, size: 2 << 20)
    let drive = try MountedDrive(
      profile, cloud: ["Folder/Document": document.bytes], options: kernel.options, as: user)
    let (world, session) = (try drive.world(), try drive.session())
    let path = drive.at("Folder/Document")
    let check = try session.ask("stat \(path)")
    #expect(profile == "icloud" ? check.hasPrefix("ok ") : check == "error ENOENT")
    #expect(try session.ask("whole \(path)") == document.answer)
    #expect(try session.ask("access \(path)") == "ok 0")
    #expect(try session.ask("create \(path).new").hasPrefix("ok"))
    #expect(try drive.fauxdrive(["status", path, "--json"]).output.contains("current"))
    #expect(try drive.fauxdrive(["evict", path]).status == 0)
    #expect(try session.ask("open 1 \(path)").hasPrefix("ok"))
    #expect(try session.ask("map 1 1 shared") == "ok \(document.size)")
    #expect(try session.ask("peek 1 0 \(document.size)") == document.answer)
    let crowd = try drive.crowd(3, "read", "Folder/Document")
    #expect(try crowd.finish().keys.allSatisfy { $0.error == 0 })
    #expect(try world.records(LedgerFilter(kinds: [.transfer])).count == 2)
    #expect(try session.ask("unmap 1") == "ok 0")
    #expect(try session.ask("close 1") == "ok 0")
    #expect(try drive.unmount().status == 0)
  }

  /// semantics: "Without --allow-other a drive is for its user alone: others, root among them, get EACCES."
  @Test func `others get EACCES`() throws {
    let user = try UserSpace()
    let drive = try MountedDrive("icloud", cloud: ["Document": [1]], as: user)
    chmod(drive.folder, 0o755)
    for prefix in [user.rootPrefix, user.prefix(user: 12345, group: 12345)] {
      let other = try Hands(command: prefix + [user.hands, "session"])
      #expect(try other.ask("stat \(drive.at("Document"))") == "error EACCES")
      #expect(try other.ask("list \(drive.mountpoint)") == "error EACCES")
    }
    #expect(try drive.session().ask("list \(drive.mountpoint)") == "ok 1")
  }

  struct Share: CustomStringConvertible {
    let servesAsRoot: Bool
    let isAudited: Bool
    var description: String {
      (servesAsRoot ? "root's" : "a user's") + (isAudited ? ", audited" : "")
    }
  }
  static let shares = [true, false].flatMap { root in
    [true, false].map { Share(servesAsRoot: root, isAudited: $0) }
  }

  /// semantics: "With --allow-other, others use a drive as the mode bits allow: owner and group are those of the process that serves it, supplementary groups count, and root may everything."
  @Test(arguments: shares)
  func `with --allow-other the mode bits decide`(share: Share) throws {
    let user = try UserSpace(
      prepare: "echo user_allow_other >$D/conf; mount --bind $D/conf /etc/fuse.conf")
    let drive = try MountedDrive(
      "icloud", cloud: ["all": [1], "group": [2], "owner": [3], "closed/in": [4]],
      options: ["--allow-other"] + (share.isAudited ? ["--audit"] : []),
      as: share.servesAsRoot ? nil : user, mounting: false)
    chmod(drive.folder, 0o755)
    for (name, mode) in [("all", 0o644), ("group", 0o640), ("owner", 0o600), ("closed", 0o700)] {
      chmod(drive.cloud + "/" + name, mode_t(mode))
    }
    if !share.servesAsRoot {
      _ = try TestProgram.run(["chown", "-R", "\(UserSpace.number)", drive.cloud])
    }
    try drive.mount()
    let group: gid_t = share.servesAsRoot ? 0 : UserSpace.number
    let place = share.servesAsRoot ? [] : user.rootPrefix
    func session(_ groups: [gid_t]) throws -> Hands {
      try Hands(command: place + UserSpace.become(12345, nil, groups) + [user.hands, "session"])
    }
    let (stranger, member) = (try session([]), try session([777, group]))
    let root = try Hands(command: place + [user.hands, "session"])
    let path = drive.at
    for (who, name, isAllowed) in [
      (stranger, "all", true), (stranger, "group", false), (stranger, "owner", false),
      (member, "group", true), (member, "owner", false), (root, "owner", true),
      (root, "closed/in", true), (stranger, "closed/in", false),
    ] {
      let answer = try who.ask("whole \(path(name))")
      #expect(isAllowed ? answer.hasPrefix("ok 1 ") : answer == "error EACCES", "\(name)")
      #expect((try who.ask("access \(path(name))") == "ok 0") == isAllowed, "\(name)")
    }
  }
}
