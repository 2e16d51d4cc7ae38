import Catalog
import Cloud
import Platform
import Testing

@Suite struct WritingTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let file: Entry

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    _ = try catalog.populate(
      .root, with: [try item("a", size: 10), try item("b", size: 20), try folder("d")])
    file = try catalog.fetch("a")
  }

  @Test func aWriterMakesTheContentPending() throws {
    #expect(try catalog.beginWriting(file.inode, emptied: false) == file)
    let begun = try #require(try catalog.pendingItem(of: file.inode))
    #expect(begun.parts == .content && begun.isWriting)
    #expect(try catalog.writingItems() == [file])
    let time = Timestamp(seconds: 5, nanoseconds: 6)
    let written = try #require(
      try catalog.endWriting(file.inode, size: 33, modified: time, stillWriting: false))
    #expect(written.size == 33 && written.modified == time && written.changed > file.changed)
    #expect(written.contentSerial == file.contentSerial && written.residency == .materialized)
    try catalog.expectEntry(written, named: "a")
    let ended = try #require(try catalog.pendingItem(of: file.inode))
    #expect(ended.parts == .content && !ended.isWriting && ended.sequence > begun.sequence)
    #expect(try catalog.details(of: file.inode)?.version.content == "1", "the base version")
  }

  @Test func anFsyncTellsTheSizeAndGoesOn() throws {
    _ = try catalog.beginWriting(file.inode, emptied: false)
    let entry = try catalog.endWriting(
      file.inode, size: 11, modified: file.modified, stillWriting: true)
    #expect(entry?.size == 11)
    #expect(try catalog.pendingItem(of: file.inode)?.isWriting == true)
    #expect(try catalog.counts().contentBytes == 11)
  }

  @Test(arguments: ["a", "b"])
  func emptyingMakesAnyFileMaterialized(identifier: String) throws {
    let old = try catalog.known(identifier)
    if old.residency == .dataless {
      let ranges = RangeSet([ByteRange(offset: 0, count: 1)])
      #expect(try catalog.saveRanges(ranges, of: old.inode, contentSerial: old.contentSerial))
    }
    let entry = try catalog.beginWriting(old.inode, emptied: true)
    #expect(entry.size == 0 && entry.residency == .materialized)
    #expect(entry.contentSerial > old.contentSerial && entry.modified > old.modified)
    try catalog.expectEntry(entry, named: identifier)
    #expect(try catalog.savedRanges(of: old.inode).isEmpty)
    #expect(try !catalog.publish(old.inode, contentSerial: old.contentSerial), "too late")
    #expect(try catalog.parts(of: old.inode) == .content)
  }

  @Test func writingIsRefusedWhereItMakesNoSense() throws {
    let link = try catalog.make("link", .symlink, target: [97])
    let none = InodeNumber(rawValue: 999)
    for emptied in [false, true] {
      expectRefusal(.noSuchFile) { _ = try catalog.beginWriting(none, emptied: emptied) }
      expectRefusal(.isDirectory) {
        _ = try catalog.beginWriting(try catalog.inode("d"), emptied: emptied)
      }
      expectRefusal(.invalid) { _ = try catalog.beginWriting(link.inode, emptied: emptied) }
    }
    let dataless = try catalog.known("b")
    expectRefusal(.stale) { _ = try catalog.beginWriting(dataless.inode, emptied: false) }
    expectRefusal(.stale) {
      _ = try catalog.setLocal(dataless.inode, size: 1, modified: nil, permissions: nil)
    }
    #expect(
      try catalog.endWriting(none, size: 1, modified: .now, stillWriting: false) == nil)
    #expect(try catalog.known("b") == dataless && catalog.pendingItem(of: dataless.inode) == nil)
  }

  struct Setting: Sendable {
    var size: Int64?
    var modified: Int64?
    var permissions: UInt16?
    var parts: PendingParts
  }

  @Test(arguments: [
    Setting(modified: 9, parts: .metadata), Setting(permissions: 0o4700, parts: .metadata),
    Setting(size: 3, modified: 9, parts: .content),
    Setting(size: 3, permissions: 0o700, parts: [.content, .metadata]), Setting(parts: []),
  ])
  func attributesAreSetOneByOne(setting: Setting) throws {
    let (size, modified) = (setting.size, setting.modified)
    let (permissions, parts) = (setting.permissions, setting.parts)
    let entry = try catalog.setLocal(
      file.inode, size: size, modified: modified.map { Timestamp(seconds: $0) },
      permissions: permissions)
    var expected = file
    expected.size = size ?? file.size
    expected.modified = modified.map { Timestamp(seconds: $0) } ?? file.modified
    expected.permissions = permissions ?? file.permissions
    expected.changed = entry.changed
    #expect(entry == expected && (entry.changed > file.changed) == !parts.isEmpty)
    try catalog.expectEntry(entry, named: "a")
    #expect(try catalog.parts(of: file.inode) ?? [] == parts)
    #expect(try catalog.writingItems().isEmpty)
  }

  @Test func attributesOfFoldersAndDatalessFilesCanBeSet() throws {
    for identifier in ["d", "b", "root"] {
      let inode = try catalog.inode(identifier)
      let entry = try catalog.setLocal(inode, size: nil, modified: nil, permissions: 0o700)
      #expect(try entry.permissions == 0o700 && catalog.entry(of: inode) == entry)
      #expect(try catalog.parts(of: inode) == .metadata)
    }
  }

  @Test func whatIsNotInTheCloudIsNotEvicted() throws {
    _ = try catalog.beginWriting(file.inode, emptied: false)
    #expect(try catalog.evict(file.inode) == nil)
    let new = try catalog.makeWritten("new")
    #expect(try catalog.evict(new.inode) == nil)
    #expect(try catalog.entry(of: new.inode) == new)
    let b = try catalog.fetch("b")
    _ = try catalog.setLocal(b.inode, size: nil, modified: nil, permissions: 0o600)
    #expect(try catalog.evict(b.inode)?.residency == .dataless, "its content is in the cloud")
  }

  @Test func extendedAttributesAreKeptAndPend() throws {
    let (one, two): ([UInt8], [UInt8]) = (Array("user.one".utf8), Array("user.two".utf8))
    #expect(try catalog.xattr(one, of: file.inode) == nil)
    try catalog.setXattr(two, [], of: file.inode)
    try catalog.setXattr(one, [1], of: file.inode)
    try catalog.setXattr(one, [2, 0, 3], of: file.inode)
    #expect(try catalog.xattr(one, of: file.inode) == [2, 0, 3])
    #expect(try catalog.xattr(two, of: file.inode) == [])
    #expect(try catalog.xattrNames(of: file.inode) == [one, two])
    #expect(try catalog.parts(of: file.inode) == .metadata)
    #expect(try catalog.known("a").changed > file.changed)
    let sequence = try catalog.sequence(of: file.inode)
    #expect(try catalog.removeXattr(one, of: file.inode))
    #expect(try catalog.sequence(of: file.inode) > sequence)
    #expect(try !catalog.removeXattr(one, of: file.inode))
    #expect(try catalog.xattrNames(of: file.inode) == [two])
    let error = #expect(throws: CatalogError.self) {
      try catalog.setXattr(one, [1], of: InodeNumber(rawValue: 999))
    }
    #expect(error?.code == .misuse)
  }

  @Test func extendedAttributesGoWithTheirItem() throws {
    try catalog.setXattr([97], [1], of: try catalog.inode("b"))
    let b = try catalog.inode("b")
    let known = try item("b", size: 20)
    _ = try catalog.finishUpload(b, as: known)
    #expect(try catalog.xattrNames(of: b).count == 1)
    _ = try catalog.apply(.deleted(known.identifier))
    #expect(try catalog.xattrNames(of: b).isEmpty)
  }
}
