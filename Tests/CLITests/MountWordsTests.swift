import Control
import Daemon
import Options
import Testing

@testable import fauxdrive

/// What mount(8) says, as a drive takes it.
@Suite struct MountWordsTests {
  private static func request(_ options: String, source: String = "copy:/docs") throws
    -> MountRequest
  {
    try MountWords(source: source, mountpoint: "/mnt", options: options).request()
  }

  @Test func theOptionsOfADriveAreThoseOfTheCommandMount() throws {
    var expected = MountRequest(mountpoint: "/mnt")
    expected.cloud = "copy:/docs"
    #expect(try Self.request("") == expected)
    expected.profile = "synology"
    expected.world = "/w"
    expected.device = "phone"
    expected.isScoped = true
    expected.seed = 7
    expected.hasManualClock = true
    expected.isAudited = true
    expected.allowsOthers = true
    expected.assumedKernel = "6.1"
    let options =
      "profile=synology,world=/w,device=phone,scoped,seed=7,clock=manual,audit,allow_other"
    #expect(try Self.request(options + ",assume-kernel=6.1") == expected)
  }

  @Test func flagsOfTheMountAreTakenAndTheLastOneCounts() throws {
    #expect(try Self.request("ro,noexec").isReadOnly)
    #expect(try Self.request("ro,noexec").forbidsExecution)
    #expect(try !Self.request("ro,rw,noexec,exec").isReadOnly)
    #expect(try !Self.request("noexec,exec").forbidsExecution)
    #expect(try MountWords(source: "none", mountpoint: "/m", options: "remount,ro").isRemount)
    // As the kernel has told them.
    let again =
      "rw,remount,nosuid,nodev,relatime,user_id=0,group_id=0,default_permissions,allow_other"
    #expect(try MountWords(source: "none", mountpoint: "/m", options: again).isRemount)
    #expect(try MountWords(source: "none", mountpoint: "/m", options: "setuid=ann").user == "ann")
  }

  @Test func whatOthersUnderstandIsLeftToThem() throws {
    let options =
      "rw,defaults,noauto,user=ann,users,_netdev,nofail,nosuid,nodev,dev,suid,relatime,comment=x"
      + ",x-systemd.automount,X-mount.mkdir,x-gvfs-name=Drive"
    var expected = MountRequest(mountpoint: "/mnt")
    expected.cloud = "copy:/docs"
    #expect(try Self.request(options) == expected)
  }

  @Test func commasAreKeptInQuotesAndBehindABackslash() {
    #expect(MountWords.split("a,,b=c") == ["a", "b=c"])
    #expect(MountWords.split(#"world="/a,b",ro"#) == ["world=/a,b", "ro"])
    #expect(MountWords.split(#"world=/a\,b\\,ro"#) == [#"world=/a,b\"#, "ro"])
    #expect(MountWords.split("") == [])
  }

  @Test func theSourceIsTheCloudOrTheWorld() throws {
    #expect(try Self.request("", source: "memory:").cloud == "memory:")
    #expect(try Self.request("", source: "none").cloud == nil)
    let known = try Self.request("", source: MountSource(world: "/w w", device: "phone").text)
    #expect(known.cloud == nil && known.world == "/w w" && known.device == "phone")
    #expect(try Self.request("", source: "fauxdrive:/w\\043phone").device == "phone")
    let other = try Self.request(
      "world=/x,device=y", source: MountSource(world: "/w", device: "phone").text)
    #expect(other.world == "/x" && other.device == "y")
  }

  static let mistakes = [
    ("profil=synology", "there is no mount option 'profil'; did you mean 'profile'?"),
    ("frobnicate", "there is no mount option 'frobnicate'"),
    ("sync", "there is no mount option 'sync'"),
    ("user_id=0", "there is no mount option 'user_id'"),
    ("cloud=/docs", "there is no mount option 'cloud'"),
    ("profile", "the mount option 'profile' needs a value: profile=PROFILE"),
    ("audit=yes", "the mount option 'audit' takes no value"),
    ("setuid=", "the mount option 'setuid' needs a user: setuid=USER"),
    ("seed=x", "seed: 'x' is not a whole number"),
    ("clock=manul", "clock: 'manul' is not one of system, manual; did you mean 'manual'?"),
  ]

  @Test(arguments: mistakes) func aWrongOptionIsToldInASentence(options: String, says: String) {
    let error = #expect(throws: UsageError.self) { try Self.request(options) }
    #expect(error?.message.hasPrefix(says) == true, "\(error?.message ?? "")")
  }

  @Test func aSloppyMountLeavesOutWhatIsUnknown() throws {
    let words = try MountWords(
      source: "memory:", mountpoint: "/mnt", options: "frobnicate,ro,x=y", ignoringUnknown: true)
    #expect(try words.request().isReadOnly)
    #expect(throws: UsageError.self) {
      try MountWords(
        source: "memory:", mountpoint: "/mnt", options: "audit=yes", ignoringUnknown: true)
    }
  }

  static let lines: [([String], [String]?)] = [
    (["/sbin/mount.fuse.fauxdrive", "a", "b"], ["a", "b"]),
    (["mount.fauxdrive", "--help"], ["--help"]),
    (
      ["fauxdrive", "copy:/docs", "/mnt", "-o", "rw,dev,suid"],
      ["copy:/docs", "/mnt", "-o", "rw,dev,suid"]
    ),
    (["fauxdrive", "mount", "/mnt", "-o", "rw"], nil), (["fauxdrive"], nil), ([], nil),
    (["fauxdrive", "status", "/mnt"], nil),
  ]

  @Test(arguments: lines) func aCallOfMountIsRecognised(line: [String], words: [String]?) {
    #expect(MountHelper.words(of: line) == words)
  }
}
