import Glibc
import Ledger
import Platform
import Testing

/// A LOOKUP counts as a request only when nothing of the same thread follows on what it found.
@Suite struct LookupTests {
  private let fixture: Fixture
  private let folder = NodeID(inode: InodeNumber(rawValue: 20))
  private let file = NodeID(inode: InodeNumber(rawValue: 21))
  private let other = NodeID(inode: InodeNumber(rawValue: 22))

  init() throws { fixture = try Fixture() }

  private func look(
    _ thread: pid_t, _ path: String, parent: NodeID? = nil, _ node: NodeID
  ) {
    fixture.recorder.lookup(
      thread: thread, parent: parent, node: node, record: record("lookup", path, answer: "present"))
  }

  /// What remains when pending look-ups are forgotten: those that were recorded.
  private func recorded() -> [String] {
    let committed = Locked<[String]>([])
    let observation = fixture.recorder.observe { event in
      committed.withLock { $0.append(event.record.path) }
    }
    fixture.recorder.commitLookups()
    observation.end()
    let late = committed.withLock { $0 }
    return fixture.paths().filter { !late.contains($0) }
  }

  @Test func theCallThatFollowsTakesTheLookupAlong() {
    look(1, "/f", file)
    fixture.recorder.absorb(thread: 1, node: file)
    #expect(fixture.paths().isEmpty)
  }

  @Test func aWalkTakesItsFoldersAlong() {
    look(1, "/d", parent: .root, folder)
    look(1, "/d/f", parent: folder, file)
    #expect(fixture.paths() == ["/d/f"])
    fixture.recorder.absorb(thread: 1, node: file)
    #expect(fixture.paths().isEmpty)
  }

  @Test func aCallOnSomethingElseLeavesTheLookupStanding() {
    look(1, "/f", file)
    fixture.recorder.absorb(thread: 1, node: other)
    #expect(recorded() == ["/f"])
  }

  @Test func aCallOnTwoNamesTakesBothLookupsAlong() {
    look(1, "/d", parent: .root, folder)
    look(1, "/d/f", parent: folder, file)
    look(1, "/o", parent: .root, other)
    fixture.recorder.absorb(thread: 1, node: file, and: other)
    #expect(fixture.paths().isEmpty)
  }

  @Test func aWalkThatFindsNothingLeavesTheOneBeforePending() {
    look(1, "/d", parent: .root, folder)
    look(1, "/d/f", parent: folder, file)
    look(1, "/d", parent: .root, folder)
    fixture.recorder.walk(thread: 1, through: folder)
    #expect(fixture.paths() == ["/d/f"])
    fixture.recorder.absorb(thread: 1, node: file)
    #expect(fixture.paths().isEmpty)
  }

  @Test func aCallOnTheLastOfTwoLeavesTheFirstStanding() {
    look(1, "/f", file)
    look(1, "/o", parent: .root, other)
    fixture.recorder.absorb(thread: 1, node: other)
    #expect(recorded() == ["/f"])
  }

  @Test func aThirdWalkLeavesTheFirstStanding() {
    look(1, "/f", file)
    look(1, "/o", parent: .root, other)
    look(1, "/d", parent: .root, folder)
    #expect(recorded() == ["/f"])
  }

  @Test func threadsDoNotMix() {
    look(1, "/f", file)
    fixture.recorder.absorb(thread: 2, node: file)
    fixture.recorder.absorb(thread: 2, node: other)
    #expect(recorded().isEmpty)
  }

  @Test func anotherEpochIsAnotherNode() {
    look(1, "/f", file)
    fixture.recorder.absorb(thread: 1, node: NodeID(inode: file.inode, epoch: 1))
    #expect(recorded() == ["/f"])
  }

  @Test func queriesSeeWhatIsPending() {
    look(1, "/f", file)
    let seen = fixture.recorder.records(matching: Query(callClass: "lookup", progress: .finished))
    #expect(seen.map(\.path) == ["/f"])
    #expect(seen.first?.answer == "present" && seen.first?.id == 1)
  }

  @Test func oldLookupsAreRecordedOnRequest() {
    look(1, "/old", file)
    fixture.clock.advance(.milliseconds(100))
    look(2, "/new", other)
    fixture.recorder.commitLookups(olderThan: .milliseconds(50))
    fixture.recorder.absorb(thread: 1, node: file)
    fixture.recorder.absorb(thread: 2, node: other)
    #expect(fixture.paths() == ["/old"])
  }

  @Test func noMoreThanSoManyArePending() {
    for thread in 1...2000 { look(pid_t(thread), "/\(thread)", file) }
    let committed = Locked(0)
    let observation = fixture.recorder.observe { _ in committed.withLock { $0 += 1 } }
    fixture.recorder.commitLookups()
    observation.end()
    #expect(committed.withLock { $0 } == 1024)
  }

  @Test func clearingForgetsPendingLookups() {
    look(1, "/f", file)
    fixture.recorder.clear()
    #expect(fixture.paths().isEmpty)
  }
}
