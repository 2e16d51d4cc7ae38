import Catalog
import Cloud
import Platform
import Testing

@Suite struct ContentTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let file: Entry

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    _ = try catalog.populate(
      .root, with: [try item("f", size: 100), try folder("d"), try item("g", size: 7)])
    file = try catalog.known("f")
  }

  @Test func publishingMaterializesOnlyThePresentSerial() throws {
    #expect(try !catalog.publish(file.inode, contentSerial: file.contentSerial + 1))
    #expect(try catalog.known("f").residency == .dataless)
    #expect(try catalog.publish(file.inode, contentSerial: file.contentSerial))
    #expect(try catalog.publish(file.inode, contentSerial: file.contentSerial))
    var expected = file
    expected.residency = .materialized
    #expect(try catalog.known("f") == expected, "nothing else changes, the ctime neither")
    #expect(try !catalog.publish(InodeNumber(rawValue: 999), contentSerial: 1))
    let folder = try catalog.known("d")
    #expect(try !catalog.publish(folder.inode, contentSerial: folder.contentSerial))
  }

  @Test func savedRangesComeBack() throws {
    let ranges = RangeSet([ByteRange(offset: 0, count: 10), ByteRange(offset: 50, count: 7)])
    #expect(try catalog.saveRanges(ranges, of: file.inode, contentSerial: file.contentSerial))
    #expect(try catalog.savedRanges(of: file.inode) == ranges)
    #expect(try catalog.known("f").residency == .partial)
    #expect(try catalog.counts().contentBytes == 17)
    #expect(
      try catalog.saveRanges(RangeSet(), of: file.inode, contentSerial: file.contentSerial))
    #expect(try catalog.savedRanges(of: file.inode).isEmpty)
    #expect(try catalog.known("f").residency == .dataless)
  }

  @Test func rangesOfAnotherSerialAreNotSaved() throws {
    let ranges = RangeSet([ByteRange(offset: 0, count: 10)])
    #expect(try !catalog.saveRanges(ranges, of: file.inode, contentSerial: 999))
    #expect(try catalog.publish(file.inode, contentSerial: file.contentSerial))
    #expect(
      try !catalog.saveRanges(ranges, of: file.inode, contentSerial: file.contentSerial),
      "a late save must not make less of a materialized file")
    #expect(try catalog.known("f").residency == .materialized)
    #expect(try catalog.savedRanges(of: file.inode).isEmpty)
  }

  @Test func publishingForgetsTheRanges() throws {
    let ranges = RangeSet([ByteRange(offset: 0, count: 10)])
    #expect(try catalog.saveRanges(ranges, of: file.inode, contentSerial: file.contentSerial))
    #expect(try catalog.publish(file.inode, contentSerial: file.contentSerial))
    #expect(try catalog.savedRanges(of: file.inode).isEmpty)
    #expect(try catalog.counts().contentBytes == 100)
  }

  @Test func evictionMakesDatalessWithAnotherSerial() throws {
    #expect(try catalog.publish(file.inode, contentSerial: file.contentSerial))
    let evicted = try #require(try catalog.evict(file.inode))
    #expect(evicted.residency == .dataless && evicted.epoch == 0)
    #expect(evicted.contentSerial != file.contentSerial)
    #expect(evicted.changed == file.changed)
    #expect(try !catalog.publish(file.inode, contentSerial: file.contentSerial))
    let again = try #require(try catalog.evict(file.inode, newEpoch: true))
    #expect(again.epoch == 1 && again.contentSerial > evicted.contentSerial)
    #expect(try catalog.evict(try catalog.inode("d")) == nil)
    #expect(try catalog.evict(InodeNumber(rawValue: 999)) == nil)
  }

  @Test func evictionForgetsTheRanges() throws {
    let ranges = RangeSet([ByteRange(offset: 0, count: 10)])
    #expect(try catalog.saveRanges(ranges, of: file.inode, contentSerial: file.contentSerial))
    _ = try catalog.evict(file.inode)
    #expect(try catalog.savedRanges(of: file.inode).isEmpty)
    #expect(try catalog.counts() == Counts(items: 4, materialized: 0, partial: 0, contentBytes: 0))
  }

  /// So that the kernel never sees a version change in place, and nothing has to be told afterwards.
  @Test func everyNewContentHasANewEpoch() throws {
    for expected in 1...3 {
      let changed = try item("f", size: 100, content: "v\(expected)")
      _ = try catalog.apply(.updated(changed))
      #expect(try catalog.known("f").epoch == UInt16(expected))
      _ = try catalog.apply(
        .updated(try item("f", size: 100, content: "v\(expected)", metadata: "2")))
      #expect(try catalog.known("f").epoch == UInt16(expected))
    }
  }

  @Test func anEpochIsFollowedByZeroAtTheEnd() throws {
    for _ in 0..<65535 { _ = try catalog.evict(file.inode, newEpoch: true) }
    #expect(try catalog.known("f").epoch == 65535)
    #expect(try catalog.evict(file.inode, newEpoch: true)?.epoch == 0)
  }

  @Test func itemsWithContentAreEnumeratedAndCounted() throws {
    let other = try catalog.known("g")
    #expect(try catalog.materialized(limit: 10).isEmpty)
    #expect(try catalog.publish(file.inode, contentSerial: file.contentSerial))
    let ranges = RangeSet([ByteRange(offset: 0, count: 2)])
    #expect(try catalog.saveRanges(ranges, of: other.inode, contentSerial: other.contentSerial))
    #expect(try catalog.materialized(limit: 10).map(\.inode) == [file.inode, other.inode])
    #expect(try catalog.materialized(limit: 1).map(\.inode) == [file.inode])
    #expect(try catalog.materialized(limit: 1, after: file.inode).map(\.inode) == [other.inode])
    #expect(
      try catalog.counts() == Counts(items: 4, materialized: 1, partial: 1, contentBytes: 102))
  }

  @Test func contentFilesOnTheDiskAreToldFromGarbage() throws {
    #expect(
      try catalog.residency(of: file.inode, contentSerial: file.contentSerial) == .dataless)
    #expect(try catalog.publish(file.inode, contentSerial: file.contentSerial))
    #expect(
      try catalog.residency(of: file.inode, contentSerial: file.contentSerial) == .materialized)
    #expect(try catalog.residency(of: file.inode, contentSerial: 999) == nil)
    let folder = try catalog.known("d")
    #expect(try catalog.residency(of: folder.inode, contentSerial: folder.contentSerial) == nil)
    _ = try catalog.evict(file.inode)
    #expect(try catalog.residency(of: file.inode, contentSerial: file.contentSerial) == nil)
  }

  @Test func settingsAreKeptApartFromTheCatalogsOwnState() throws {
    try catalog.setAnchor(SyncAnchor(rawValue: "a7"))
    #expect(try catalog.anchor() == SyncAnchor(rawValue: "a7"))
    #expect(try catalog.setting("anchor") == nil)
    try catalog.setSetting("anchor", "mine")
    #expect(try catalog.setting("anchor") == "mine")
    #expect(try catalog.anchor() == SyncAnchor(rawValue: "a7"))
    try catalog.setSetting("anchor", nil)
    #expect(try catalog.setting("anchor") == nil)
  }
}
