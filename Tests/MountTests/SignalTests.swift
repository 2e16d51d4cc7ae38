import Control
import DriveClient
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// What signals do to programs that wait.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct SignalTests {
  static let patience = Duration.seconds(100)

  struct Call: CustomStringConvertible {
    let what: String
    let profile: String
    let kernel: Kernel
    var description: String { "\(what) of \(profile) on \(kernel)" }
    /// The class of the record that a held call has.
    var recorded: String { what == "opendir" ? "readdir" : what.hasPrefix("map") ? "read" : what }
    /// Whether each caller has a request of its own.
    var isOwn: Bool { recorded != "read" || what == "read" && kernel.readsDirectly }
  }
  static let calls = Kernel.allCases.flatMap { kernel in
    [
      ("stat", "synology"), ("access", "synology"), ("open", "synology"), ("read", "icloud"),
      ("opendir", "icloud"),
    ].map { Call(what: $0.0, profile: $0.1, kernel: kernel) }
  }
  static let faults = ["map-private", "map-shared"].flatMap { what in
    Kernel.allCases.map { Call(what: what, profile: "icloud", kernel: $0) }
  }

  /// Callers who are held in one call, and the gate that holds what they wait for.
  private struct Held {
    static let document = Version(3, size: 40_000)
    let drive: MountedDrive
    let world: World
    let gate: Int
    let crowd: Crowd

    init(_ call: Call, _ count: Int, handling: Bool = false) throws {
      let path = call.what == "opendir" ? "Folder" : "Folder/Document"
      drive = try MountedDrive(
        call.profile, cloud: ["Folder/Document": Self.document.bytes],
        options: ["--audit", "--clock", "manual"] + call.kernel.options)
      world = try drive.world()
      let isFolder = call.what == "opendir"
      if !isFolder {
        try drive.run("ls", drive.at("Folder"))
      } else {
        try drive.run("ls", drive.mountpoint)
      }
      gate = try world.closeGate(
        at: isFolder ? Checkpoint(rawValue: "reply:enumerate") : .requested, path: "/" + path)
      // The first check starts the transfer and says that the document is missing.
      if ["stat", "access"].contains(call.what) { try drive.run("stat", drive.at(path)) }
      let before = try world.records(LedgerFilter(callClasses: [call.recorded], path: "/" + path))
      crowd = try drive.crowd(count, (handling ? "handling-" : "") + call.what, path)
      try world.awaitGate(gate, holds: 1, timeout: SignalTests.patience)
      _ = try world.awaitRecords(
        LedgerFilter(callClasses: [call.isOwn ? call.recorded : "open"], path: "/" + path),
        count: call.what.hasPrefix("map") ? 1 : (call.isOwn ? before.count : 0) + count,
        timeout: SignalTests.patience)
    }
  }

  /// semantics: "SIGKILL, and any other signal that ends a program, ends its wait at once; the others go on waiting."
  @Test(arguments: calls + faults)
  func `a fatal signal ends one waiting program at once`(call: Call) throws {
    let held = try Held(call, 4)
    let members = held.crowd.members
    for (member, signal) in zip(members, [SIGKILL, SIGINT]) {
      kill(member, signal)
      #expect(try held.crowd.end(of: member) == -signal)
    }
    for member in members.suffix(2) { #expect(try !held.crowd.hasEnded(member)) }
    try held.world.openGate()
    #expect(try held.crowd.finish().map { ($0.key.error, $0.value) }.first ?? (-1, 0) == (0, 2))
  }

  /// semantics: "A program that is stopped (SIGSTOP, Ctrl-Z) while it waits stops nobody else, and when it is continued it gets its bytes, not an error."
  @Test(arguments: calls + faults)
  func `a stopped program gets its bytes when it goes on`(call: Call) throws {
    let held = try Held(call, 3)
    let stopped = held.crowd.members[0]
    kill(stopped, SIGSTOP)
    try held.world.openGate()
    for member in held.crowd.members.dropFirst() {
      #expect(try held.crowd.result(of: member)?.error == 0)
    }
    kill(stopped, SIGCONT)
    #expect(try held.crowd.result(of: stopped)?.error == 0)
  }

  /// semantics: "A signal that a program handles ends its wait with EINTR, where its request is its own: in stat, access, open, opendir, and in read unless it goes through the page cache."
  @Test(arguments: calls.filter { $0.isOwn })
  func `a handled signal ends a wait with EINTR`(call: Call) throws {
    let held = try Held(call, 2, handling: true)
    let first = held.crowd.members[0]
    kill(first, SIGINT)
    let result = try #require(try held.crowd.result(of: first))
    #expect(result.error == EINTR)
    #expect(result.signals == 1)
    #expect(try !held.crowd.hasEnded(held.crowd.members[1]))
    try held.world.openGate()
    #expect(try held.crowd.result(of: held.crowd.members[1])?.error == 0)
  }

  /// semantics: "A page fault, and a read through the page cache, cannot be interrupted by a signal that the program handles: the kernel waits for the page, the handler runs afterwards, and nothing is lost."
  @Test(arguments: faults + calls.filter { !$0.isOwn })
  func `a handled signal does not end the wait for a page`(call: Call) throws {
    let held = try Held(call, 2, handling: true)
    for member in held.crowd.members { kill(member, SIGINT) }
    try held.world.openGate()
    for member in held.crowd.members {
      let result = try #require(try held.crowd.result(of: member))
      #expect(result == .init(error: 0, count: 40_000, hash: Held.document.hash, signals: 1))
    }
  }

  /// semantics: "While a page fault of a document waits, another program's mmap of the same document waits with it, and no signal ends that: the kernel waits for the page with no way out."
  @Test(.enabled(if: Kernel.running.readsDirectly, "needs Linux 6.6"))
  func `mmap of a document waits for another program's page fault`() throws {
    let call = Call(what: "map-shared", profile: "icloud", kernel: .running)
    let held = try Held(call, 1)
    let other = try held.drive.session()
    #expect(try other.ask("open 1 \(held.drive.at("Folder/Document"))").hasPrefix("ok"))
    try other.send("map 1 1 shared")
    #expect(!other.hasLine(within: 300))
    try held.world.openGate()
    #expect(try other.line() == "ok 40000")
    #expect(try held.crowd.finish().values.reduce(0, +) == 1)
  }

  /// semantics: "A look-up in a folder that nobody has listed yet waits for the whole listing; until then every other look-up in that folder waits as well, and only SIGKILL of the first ends its wait."
  @Test(arguments: Kernel.allCases)
  func `a look-up in an unlisted folder stalls that folder only`(kernel: Kernel) throws {
    let drive = try MountedDrive(
      "icloud", cloud: ["A/One": [1], "A/Two": [2], "B/Three": [3]],
      options: ["--audit", "--clock", "manual"] + kernel.options)
    let world = try drive.world()
    try drive.run("ls", drive.mountpoint)
    let gate = try world.closeGate(at: Checkpoint(rawValue: "reply:enumerate"), path: "/A")
    let (first, second, third) = (
      try drive.session(), try drive.session(), try drive.session()
    )
    try first.send("stat \(drive.at("A/One"))")
    try world.awaitGate(gate, holds: 1, timeout: .seconds(60))
    try second.send("stat \(drive.at("A/One"))")
    #expect(!second.hasLine(within: 300))
    #expect(try third.ask("stat \(drive.at("B/Three"))").hasPrefix("ok 1 "))
    #expect(try third.ask("stat \(drive.at("A"))").hasPrefix("ok "))
    try world.openGate()
    #expect(try first.line().hasPrefix("ok 1 "))
    #expect(try second.line().hasPrefix("ok 1 "))
  }

  /// semantics: "Such a look-up waits three seconds of the world's time at most, and then fails with ETIMEDOUT."
  @Test(arguments: Kernel.allCases)
  func `a look-up in an unlisted folder has short patience`(kernel: Kernel) throws {
    let drive = try MountedDrive(
      "icloud", cloud: ["A/One": [1]], options: ["--audit", "--clock", "manual"] + kernel.options)
    let world = try drive.world()
    try drive.run("ls", drive.mountpoint)
    let gate = try world.closeGate(at: Checkpoint(rawValue: "reply:enumerate"), path: "/A")
    let first = try drive.session()
    try first.send("stat \(drive.at("A/One"))")
    try world.awaitGate(gate, holds: 1, timeout: .seconds(60))
    try world.advanceClock(by: .seconds(3))
    #expect(try first.line() == "error ETIMEDOUT")
  }
}
