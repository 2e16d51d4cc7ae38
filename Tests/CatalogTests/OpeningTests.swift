import CSQLite
import Catalog
import Cloud
import Foundation
import Platform
import Testing

@Suite struct OpeningTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func everythingIsThereAfterReopening() throws {
    let catalog = try directory.open()
    _ = try catalog.populate(.root, with: [try folder("d"), try item("f", size: 10)])
    let file = try catalog.known("f")
    #expect(try catalog.publish(file.inode, contentSerial: file.contentSerial))
    try catalog.setAnchor(SyncAnchor(rawValue: "7"))
    let before = try catalog.children(of: .root)
    catalog.close()

    let again = try directory.open()
    #expect(try again.children(of: .root) == before)
    #expect(try again.anchor() == SyncAnchor(rawValue: "7"))
    #expect(try again.entry(of: .root)?.isPopulated == true)
    #expect(!again.wasPowerCut)
  }

  @Test func numbersAreNotUsedAgainAfterDeletingAndReopening() throws {
    let catalog = try directory.open()
    _ = try catalog.populate(.root, with: [try item("a"), try item("b")])
    let last = try catalog.known("b")
    _ = try catalog.populate(.root, with: [])
    catalog.close()
    let again = try directory.open()
    _ = try again.populate(.root, with: [try item("b")])
    let entry = try again.known("b")
    #expect(entry.inode > last.inode && entry.contentSerial > last.contentSerial)
  }

  /// Some numbers are reserved in the file before they are given out; a process that dies loses those.
  @Test(arguments: [1, 63, 64, 65, 200])
  func numbersAreNotUsedAgainAfterAnUncleanEnd(count: Int) throws {
    var (inode, serial, sequence): (UInt64, UInt64, UInt64) = (0, 0, 0)
    for round in 0..<3 {
      let catalog = try directory.open()
      for number in 0..<count {
        let entry = try catalog.make("\(round)-\(number)")
        let next = try catalog.sequence(of: entry.inode)
        #expect(entry.inode.rawValue > inode && entry.contentSerial > serial && next > sequence)
        (inode, serial, sequence) = (entry.inode.rawValue, entry.contentSerial, next)
      }
    }
  }

  @Test func aClosedCatalogRefusesEverything() throws {
    let catalog = try directory.open()
    catalog.close()
    catalog.close()
    expectCode(.misuse) { _ = try catalog.entry(of: .root) }
    expectCode(.misuse) { _ = try catalog.populate(.root, with: []) }
    expectCode(.misuse) { try catalog.setSetting("a", "b") }
  }

  @Test func aCatalogIsOpenOnlyOnce() throws {
    let catalog = try directory.open()
    expectCode(.locked) { _ = try directory.open() }
    catalog.close()
    _ = try directory.open()
  }

  @Test(arguments: [
    (boot: "boot-1", clean: true, cut: false), (boot: "boot-1", clean: false, cut: false),
    (boot: "boot-2", clean: true, cut: false), (boot: "boot-2", clean: false, cut: true),
  ])
  func aPowerCutIsAnUncleanEndOfAnotherBoot(boot: String, clean: Bool, cut: Bool) throws {
    try openAndLeave(boot: "boot-1", clean: clean)
    let catalog = try directory.open(boot: boot)
    #expect(catalog.wasPowerCut == cut)
  }

  @Test func aPowerCutIsKnownUntilContentIsTrusted() throws {
    try openAndLeave(boot: "boot-1", clean: false)
    try openAndLeave(boot: "boot-2", clean: false)
    try openAndLeave(boot: "boot-2", clean: true)
    let suspicious = try directory.open(boot: "boot-2")
    #expect(suspicious.wasPowerCut)
    try suspicious.trustContent()
    suspicious.close()
    #expect(try !directory.open(boot: "boot-2").wasPowerCut)
  }

  @Test func theSystemNamesTheBootWhenNobodyElseDoes() throws {
    let catalog = try Catalog(directory: directory.path)
    catalog.close()
    #expect(try !Catalog(directory: directory.path).wasPowerCut)
  }

  @Test func garbageIsRefusedWithAdvice() throws {
    try Data(repeating: 0x41, count: 8192).write(to: directory.database)
    let error = expectCode(.corrupt) { _ = try directory.open() }
    #expect(error?.message.contains(directory.path) == true)
    #expect(error?.message.contains("rebuilt from the cloud") == true)
  }

  @Test func anotherProgramsDatabaseIsRefused() throws {
    try execute("CREATE TABLE other (a); INSERT INTO other VALUES (1);")
    let error = expectCode(.corrupt) { _ = try directory.open() }
    #expect(error?.message.contains("another program") == true)
  }

  @Test func aNewerFormatIsRefusedAndLeftAlone() throws {
    try directory.open().close()
    try execute("PRAGMA user_version = 99;")
    let error = expectCode(.newerFormat(found: 99, supported: 6)) { _ = try directory.open() }
    #expect(error?.message.contains("newer program") == true)
    expectCode(.newerFormat(found: 99, supported: 6)) { _ = try directory.open() }
  }

  /// The tables as the first version of this program made them.
  @Test func aCatalogOfFormat1IsUpgradedInPlace() throws {
    try execute(Self.format1)
    let catalog = try directory.open()
    let file = try catalog.known("f")
    #expect(file.inode.rawValue == 16 && file.size == 10 && file.residency == .materialized)
    #expect(try catalog.anchor() == SyncAnchor(rawValue: "7") && catalog.entry(at: "f") == file)
    #expect(try catalog.pendingCounts() == PendingCounts(items: 0, deletions: 0, failed: 0))
    let new = try catalog.make("new")
    #expect(new.inode.rawValue == 17 && new.contentSerial == 3)
    try catalog.setXattr([97], [1], of: file.inode)
    _ = try catalog.unlink("f")
    #expect(try catalog.xattrNames(of: file.inode).isEmpty && catalog.deletions() == ["f"])
    catalog.close()
    let again = try directory.open()
    #expect(try again.entry(at: "new") == new && again.deletions() == ["f"])
  }

  private static let format1 = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE items (
      inode INTEGER PRIMARY KEY, parent INTEGER NOT NULL,
      kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2)), size INTEGER NOT NULL,
      modified INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
      created INTEGER NOT NULL, created_ns INTEGER NOT NULL,
      changed INTEGER NOT NULL, changed_ns INTEGER NOT NULL, permissions INTEGER,
      residency INTEGER NOT NULL CHECK (residency IN (0, 1, 2)), populated INTEGER NOT NULL,
      serial INTEGER NOT NULL, epoch INTEGER NOT NULL, hidden INTEGER NOT NULL, name BLOB,
      item TEXT NOT NULL, content_version TEXT NOT NULL, metadata_version TEXT NOT NULL,
      checksum BLOB, target BLOB
    ) STRICT;
    CREATE UNIQUE INDEX items_by_identifier ON items (item);
    CREATE UNIQUE INDEX items_by_name ON items (parent, name) WHERE hidden = 0;
    CREATE INDEX items_hidden ON items (parent, name) WHERE hidden = 1;
    CREATE INDEX items_by_parent ON items (parent);
    CREATE INDEX items_with_content ON items (inode) WHERE residency > 0;
    CREATE TABLE ranges (
      inode INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, ranges BLOB NOT NULL
    ) STRICT;
    CREATE TABLE counters (inode INTEGER NOT NULL, serial INTEGER NOT NULL) STRICT;
    CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO counters VALUES (17, 3);
    INSERT INTO state VALUES ('anchor', '7'), ('open', 'no');
    INSERT INTO items VALUES
      (1, 0, 1, 0, 5, 0, 5, 0, 5, 0, 493, 0, 1, 1, 0, 0, NULL, 'root', '', '', NULL, NULL),
      (16, 1, 0, 10, 5, 0, 5, 0, 5, 0, NULL, 2, 0, 2, 0, 0, x'66', 'f', '1', '1', NULL, NULL);
    PRAGMA application_id = \(0x4678_4443);
    PRAGMA user_version = 1;
    """

  @Test func damageIsFoundAtTheStartAfterAPowerCut() throws {
    let catalog = try directory.open()
    _ = try catalog.populate(.root, with: try (0..<2000).map { try item("item-\($0)") })
    catalog.close()
    try openAndLeave(boot: "boot-1", clean: false)
    try damageThirdPage()
    expectCode(.corrupt) { _ = try directory.open(boot: "boot-2") }
    expectCode(.corrupt) { _ = try directory.open(boot: "boot-2") }
  }

  @Test func aTruncatedFileIsCorrupt() throws {
    let catalog = try directory.open()
    _ = try catalog.populate(.root, with: try (0..<2000).map { try item("item-\($0)") })
    catalog.close()
    let handle = try FileHandle(forWritingTo: directory.database)
    try handle.truncate(atOffset: 6000)
    try handle.close()
    expectCode(.corrupt) { _ = try directory.open() }
  }

  @Test func aMissingDirectoryIsAnErrorThatNamesIt() throws {
    let error = expectCode(.io) { _ = try Catalog(directory: directory.path + "/none") }
    #expect(error?.message.contains(directory.path + "/none") == true)
  }

  @discardableResult
  private func expectCode(_ code: CatalogError.Code, _ body: () throws -> Void) -> CatalogError? {
    let error = #expect(throws: CatalogError.self) { try body() }
    #expect(error?.code == code, "\(String(describing: error))")
    return error
  }

  private func openAndLeave(boot: String, clean: Bool) throws {
    let catalog = try directory.open(boot: boot)
    if clean { catalog.close() }
  }

  private func execute(_ sql: String) throws {
    var handle: OpaquePointer?
    #expect(sqlite3_open(directory.database.path, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
  }

  private func damageThirdPage() throws {
    let handle = try FileHandle(forUpdating: directory.database)
    try handle.seek(toOffset: 3 * 4096)
    try handle.write(contentsOf: Data(repeating: 0xa5, count: 8 * 4096))
    try handle.close()
  }
}
