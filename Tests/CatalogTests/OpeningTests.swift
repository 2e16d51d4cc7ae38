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
    _ = try catalog.advanceEpoch(of: file.inode)
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
    #expect(error?.message.contains("move it away") == true)
  }

  @Test func anotherProgramsDatabaseIsRefused() throws {
    try execute("CREATE TABLE other (a); INSERT INTO other VALUES (1);")
    let error = expectCode(.corrupt) { _ = try directory.open() }
    #expect(error?.message.contains("another program") == true)
  }

  @Test func aNewerFormatIsRefusedAndLeftAlone() throws {
    try directory.open().close()
    try execute("PRAGMA user_version = 99;")
    let error = expectCode(.newerFormat(found: 99, supported: 2)) { _ = try directory.open() }
    #expect(error?.message.contains("newer program") == true)
    expectCode(.newerFormat(found: 99, supported: 2)) { _ = try directory.open() }
  }

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
