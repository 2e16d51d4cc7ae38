import Cloud
import Foundation
import Platform
import Testing

@testable import Catalog

/// The second account of what only the device has.
@Suite struct JournalTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/catalog.journal" }

  init() throws { directory = try TemporaryDirectory() }

  private func contents() throws -> JournalContents { try #require(JournalContents(at: path)) }

  private func names() throws -> [String] {
    try contents().pending.compactMap(\.row.name?.text)
  }

  @Test func aLineIsReadAsItWasWritten() throws {
    let name = try #require(FileName(Array(1...46) + Array(48...255) as [UInt8]))
    let entry = Entry(
      inode: InodeNumber(rawValue: 77), parent: .root, kind: .symlink, size: .max,
      modified: Timestamp(seconds: -5, nanoseconds: 999_999_999), created: Timestamp(seconds: 0),
      changed: Timestamp(seconds: .max), permissions: 0o777, residency: .dataless,
      isPopulated: false, contentSerial: .max, epoch: 0)
    let full = Row(
      entry: entry, name: name, item: ItemIdentifier(rawValue: "a b\tc%\n"),
      version: ItemVersion(content: "", metadata: "-"),
      checksum: Checksum(sha256: [0, 9, 10, 255]),
      target: [], permissions: nil, isHidden: false, pending: [.created, .place])
    var clean = full
    clean.checksum = nil
    clean.target = [UInt8(ascii: "-")]
    clean.permissions = 0o777
    clean.pending = nil
    let lines: [JournalLine] = [
      .begin(session: 3, boot: "boot 1"), .end, .numbers(inode: 1, serial: 1 << 63),
      .anchor(SyncAnchor(rawValue: "")), .gone(entry.inode),
      .row(JournalRow(row: full, sequence: 9, isWriting: true)),
      .row(JournalRow(row: clean, sequence: 0, isWriting: false)), .answered(entry.inode),
      .sending(
        Sending(
          inode: entry.inode, sequence: 8, parts: .content, item: full.item,
          base: full.version, folder: .root, name: name, kind: .file, size: 5,
          modified: entry.modified, permissions: 0o640, checksum: nil, target: [])),
    ]
    for line in lines {
      var bytes: [UInt8] = []
      line.append(to: &bytes)
      #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 1)
      #expect(JournalLine(bytes.dropLast()) == line)
      for index in bytes.indices.dropLast() {
        var damaged = bytes
        damaged[index] ^= 4
        #expect(JournalLine(damaged.dropLast()) == nil)
      }
    }
  }

  @Test func itTellsWhatIsPendingAndTheFoldersAbove() throws {
    let catalog = try directory.open()
    _ = try catalog.populate(.root, with: [try folder("d"), try item("a"), try item("b")])
    let d = try catalog.inode("d")
    _ = try catalog.populate(d, with: [try folder("e", in: "d"), try item("f", in: "d")])
    let e = try catalog.inode("e")
    _ = try catalog.populate(e, with: [])
    #expect(try contents().rows.isEmpty)
    let new = try catalog.makeWritten("new", in: e, size: 7)
    try catalog.commit()
    #expect(try names() == ["new"])
    #expect(try Set(contents().rows.keys) == [d, e, new.inode])
    _ = try catalog.move("a", to: "a2")
    _ = try catalog.fetch("f")
    _ = try catalog.beginWriting(try catalog.inode("f"), emptied: false)
    try catalog.commit()
    #expect(try names() == ["new", "a2", "f"])
    #expect(try contents().pending.map(\.isWriting) == [false, false, true])
    _ = try catalog.unlink("a2")
    try catalog.commit()
    #expect(try names() == ["new", "f"])
    let row = try #require(try contents().rows[new.inode])
    #expect(row.row.entry.size == 7 && row.row.item.rawValue == "local:\(new.inode)")
    _ = try catalog.finishUpload(new.inode, as: try item("id", in: "e", named: "new", size: 7))
    #expect(try names() == ["f"])
    // The folders stay in it, and where the cloud moves one is told.
    _ = try catalog.apply(.updated(try folder("d", named: "d2")))
    #expect(try contents().rows[d]?.row.name?.text == "d2")
    #expect(try contents().anchor == SyncAnchor(rawValue: "test"))
    catalog.close()
    #expect(try contents().hasEnded && contents().damagedLines == 0)
    let next = try directory.open()
    try next.make("another")
    try next.commit()
    #expect(try names() == ["f", "another"])
    #expect(try contents().session == 2 && !contents().hasEnded)
  }

  @Test func aNewFolderThatIsInTheCloudStaysTheWayToWhatIsInIt() throws {
    let catalog = try directory.open()
    let d = try catalog.make("d", .folder)
    let f = try catalog.makeWritten("f", in: d.inode)
    _ = try catalog.finishUpload(d.inode, as: try folder("id", named: "d"))
    let rows = try contents().rows
    #expect(try names() == ["f"] && rows[f.inode]?.row.entry.parent == d.inode)
    #expect(rows[d.inode]?.row.item.rawValue == "id")
  }

  @Test func itIsWrittenAnewWhenItIsLong() throws {
    let catalog = try directory.open()
    for round in 0..<40 {
      for number in 0..<100 {
        try catalog.make("\(round)-\(number)-" + String(repeating: "x", count: 80))
      }
      for number in 0..<100 {
        _ = try catalog.unlink("\(round)-\(number)-" + String(repeating: "x", count: 80))
      }
    }
    try catalog.commit()
    #expect(try names().isEmpty && contents().damagedLines == 0)
    let size = try Data(contentsOf: URL(filePath: path)).count
    #expect(size < 1_300_000, "\(size)")
  }

  @Test func itTellsAboveWhichNumbersNoneWasGivenOut() throws {
    let catalog = try directory.open()
    let items = try (0..<10_000).map { try item("\($0)") }
    _ = try catalog.populate(.root, with: items)
    let last = try catalog.children(of: .root).map(\.entry).max { $0.inode < $1.inode }
    let contents = try contents()
    #expect(contents.inode > last?.inode.rawValue ?? .max)
    #expect(contents.serial > last?.contentSerial ?? .max)
    for number in 0..<10_000 { try catalog.make("new \(number)") }
    let newest = try catalog.children(of: .root).map(\.entry).max { $0.inode < $1.inode }
    #expect(try self.contents().inode > newest?.inode.rawValue ?? .max)
    #expect(try self.contents().serial > newest?.contentSerial ?? .max)
  }

  /// A journal that cannot be written must not be taken for complete, and no change fails for it.
  @Test func itIsMarkedWhileItCannotBeWritten() throws {
    let first = try directory.open()
    try first.make("a")
    first.close()
    #expect(try contents().damagedLines == 0)
    let obstacle = path + ".new"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
    let catalog = try directory.open()
    try catalog.make("b")
    try catalog.commit()
    #expect(try contents().damagedLines > 0 && names() == ["a"])
    #expect(JournalContents.session(at: path) == nil)
    try FileManager.default.removeItem(atPath: obstacle)
    try catalog.make("c")
    try catalog.commit()
    #expect(try contents().damagedLines == 0 && names() == ["a", "b", "c"])
    catalog.close()
    _ = try directory.open()
  }
}
