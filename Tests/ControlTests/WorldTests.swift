import Control
import Testing

@Suite struct WorldTests {
  static let sources: [(MountSource, String)] = [
    (MountSource(world: "/home/me/w", device: "phone"), "fauxdrive:/home/me/w#phone"),
    (
      MountSource(world: "/a b,c#d%e\\f\n\u{e9}", device: "my phone#1"),
      "fauxdrive:/a%20b%2Cc%23d%25e%5Cf%0A%C3%A9#my%20phone%231"
    ),
    (MountSource(world: "/", device: "d"), "fauxdrive:/#d"),
  ]

  @Test(arguments: sources) func aMountSourceReadsBack(source: MountSource, text: String) {
    #expect(source.text == text)
    #expect(MountSource(text) == source)
  }

  @Test(arguments: [
    "", "sshfs:/x#y", "fauxdrive:", "fauxdrive:/x", "fauxdrive:x#y", "fauxdrive:/x#",
    "fauxdrive:/x#y#z", "fauxdrive:/%zz#y", "fauxdrive:/%f#y", "fauxdrive:/%ff#y",
    "fauxdrive:/%+1#y",
  ])
  func whatIsNoSourceIsNotTakenForOne(text: String) { #expect(MountSource(text) == nil) }

  private static func root(_ variables: [String: String]) -> String {
    WorldLayout.defaultRoot { variables[$0] }
  }

  @Test func worldsLieInTheStateFolder() {
    #expect(Self.root(["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/fauxdrive")
    #expect(Self.root(["XDG_STATE_HOME": "s", "HOME": "/h"]) == "/h/.local/state/fauxdrive")
    #expect(Self.root(["HOME": "/h"]) == "/h/.local/state/fauxdrive")
    #expect(Self.root([:]).hasPrefix("/tmp/fauxdrive-"))
  }

  private static func world(_ mountpoint: String) -> String {
    WorldLayout.forMountpoint(mountpoint) { ["XDG_STATE_HOME": "/s"][$0] }.directory
  }

  @Test func everyMountpointHasAWorldOfItsOwn() {
    #expect(Self.world("/home/me/Drive") == "/s/fauxdrive/home-me-Drive")
    #expect(Self.world("/home-me/Drive") == "/s/fauxdrive/home%2Dme-Drive")
    #expect(Self.world("/") == "/s/fauxdrive/-")
    let long = "/" + String(repeating: "x", count: 300)
    #expect(Self.world(long + "1") != Self.world(long + "2"))
    #expect(Self.world(long).split(separator: "/").allSatisfy { $0.utf8.count <= 255 })
  }

  @Test func theFilesOfAWorldHaveTheirPlaces() {
    let layout = WorldLayout(directory: "/w")
    #expect(layout.controlSocket == "/w/control.sock")
    #expect(layout.settings == "/w/settings.json")
    #expect(layout.device("a/b..") == "/w/devices/a%2Fb%2E%2E")
  }
}
