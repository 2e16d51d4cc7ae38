import Cloud
import Platform
import Profiles
import Testing

@testable import Drive

/// The account's rules for names, on a drive.
@Suite struct NameTests {
  private static func drive(
    _ profile: String, _ files: [String]
  ) async throws -> TestDrive {
    let test = try TestDrive(profile)
    for file in files { try test.store.put(pattern(10, seed: UInt8(file.utf8.count)), at: file) }
    _ = try await test.list(.root)
    return test
  }

  private static func bytes(_ file: String) -> [UInt8] { pattern(10, seed: UInt8(file.utf8.count)) }

  private static let composed = "caf\u{e9}"
  private static let decomposed = "cafe\u{301}"

  /// semantics: "Where the account takes two names for the same, in case or Unicode form, each of them leads to the item, whose name stays as it was given."
  @Test(arguments: [
    ("onedrive", "Game.plist", "GAME.PLIST"), ("synology", "Game.plist", "game.plist"),
    ("icloud", composed, decomposed), ("icloud", composed, "CAFE\u{301}"),
    ("nextcloud-mac", composed, decomposed), ("smb", "a", "A"),
  ])
  func `a look-up finds what the account takes for the same`(
    _ profile: String, _ own: String, _ other: String
  ) async throws {
    let test = try await Self.drive(profile, [own])
    let found = try await test.found(other, in: .root)
    #expect(try await test.found(own, in: .root).node == found.node)
    #expect(!found.isCacheable)
    #expect(try await test.list(.root).map { Array($0.utf8) } == [Array(own.utf8)])
    try await test.put([1, 2], other)
    #expect(try await test.read(own) == [1, 2])
    try await test.settleUploads()
    #expect(try test.store.files() == [Array(own.utf8): [1, 2]])
  }

  /// semantics: "Where the account tells them apart, they are two names."
  @Test(arguments: [
    ("local", "a", "A"), ("nextcloud-ios", "a", "A"), ("googledrive", composed, decomposed),
    ("synology", composed, decomposed),
  ])
  func `a look-up does not find what the account tells apart`(
    _ profile: String, _ own: String, _ other: String
  ) async throws {
    let test = try await Self.drive(profile, [own])
    await #expect(throws: Errno.noSuchFile) { try await test.found(other, in: .root) }
    try await test.put([3], other)
    try await test.settleUploads()
    #expect(try test.store.files().count == 2)
  }

  /// semantics: "Nothing is made under a name that the account takes for one that is there: that fails with EEXIST, and a rename to it replaces the item, which keeps its spelling."
  @Test func `a taken name is taken in every spelling`() async throws {
    let test = try await Self.drive("onedrive", ["readme", "other"])
    await #expect(throws: Errno.exists) { try await test.create("README") }
    await #expect(throws: Errno.exists) { try await test.makeFolder("ReadMe") }
    await #expect(throws: Errno.exists) {
      try await test.rename("other", to: "README", flags: 1)
    }
    try await test.rename("other", to: "README")
    #expect(try await test.list(.root) == ["readme"])
    #expect(try await test.read("README") == Self.bytes("other"))
    #expect(test.caches.told.withLock { $0.contains("remove readme in 1") })
    #expect(test.caches.told.withLock { $0.contains("expire README in 1") })
    try await test.settleUploads()
    #expect(try test.store.tree() == ["readme": Self.bytes("other")])
  }

  @Test func `a new name is found in every spelling at once, also in a folder that was listed`()
    async throws
  {
    let test = try await Self.drive("onedrive", ["a"])
    await #expect(throws: Errno.noSuchFile) { try await test.found("NEW", in: .root) }
    try await test.put([1], "new")
    #expect(try await test.read("NEW") == [1])
    try await test.makeFolder("Folder")
    try await test.put([2], "FOLDER/inner")
    #expect(try await test.read("folder/INNER") == [2])
    try await test.rename("new", to: "old")
    #expect(try await test.read("OLD") == [1])
    await #expect(throws: Errno.noSuchFile) { try await test.found("New", in: .root) }
    try test.store.put([3], at: "Later")
    try await test.drive.synchronize()
    #expect(try await test.read("LATER") == [3])
    try await test.rename("LATER", to: "later 2")
    try await test.remove("LATER 2")
    #expect(test.caches.told.withLock { $0.contains("remove later 2 in 1") })
    try await test.settleUploads()
    #expect(try test.store.tree().keys.sorted() == ["Folder/", "Folder/inner", "a", "old"])
  }

  /// The kernel finds an item under its own name for a moment after it went under another one.
  @Test func `who comes by the own name of what went under another is sent to look it up again`()
    async throws
  {
    let test = try await Self.drive("onedrive", ["a", "b", "open", "new"])
    for name in ["a", "b", "open"] { _ = try await test.read(name) }
    let (a, b, open) = (
      try await test.node("a"), try await test.node("b"), try await test.node("open")
    )
    let item = try #require(test.open(open).ready)
    try await test.remove("A")
    try await test.remove("OPEN")
    try await test.rename("new", to: "B")
    for node in [a, b] {
      #expect(test.stat(node).error == .stale)
      #expect(test.open(node).error == .stale)
      #expect(test.drive.access(node, mask: 0, TestDrive.caller).error == .stale)
    }
    #expect(test.stat(open).ready?.links == 0)
    test.drive.close(item.handle)
    #expect(test.stat(open).error == .stale)
  }

  @Test func `the spelling of a name can be changed`() async throws {
    let test = try await Self.drive("onedrive", ["readme"])
    try await test.rename("readme", to: "README")
    #expect(try await test.list(.root) == ["README"])
    try await test.settleUploads()
    #expect(try test.store.tree() == ["README": Self.bytes("readme")])
  }

  /// semantics: "Where the account keeps names in one Unicode form, a new name is kept and listed in that form."
  @Test func `a name is kept in the account's form`() async throws {
    let test = try await Self.drive("nextcloud-mac", [])
    let (node, item) = try await test.create(Self.decomposed)
    try await test.write([7], item)
    try test.close(item)
    let listed = try await test.list(.root)
    #expect(listed.map { Array($0.utf8) } == [Array(Self.composed.utf8)])
    #expect(try await test.node(Self.decomposed) == node)
    await #expect(throws: Errno.exists) { try await test.create(Self.decomposed) }
    try await test.rename(Self.decomposed, to: "e\u{301}")
    try await test.settleUploads()
    #expect(try test.store.files().keys.sorted { $0.count < $1.count } == [Array("\u{e9}".utf8)])
  }

  /// semantics: "What the cloud has under two names that the account takes for one stays two items, each under its own name; nothing is renamed."
  @Test(arguments: [
    ("onedrive", ["Game.plist", "GAME.plistx", "GAME.plist"]), ("icloud", [composed, decomposed]),
  ])
  func `names that clash in the cloud stay reachable, each under its own`(
    _ profile: String, _ names: [String]
  ) async throws {
    let test = try await Self.drive(profile, names)
    let listed = try await test.list(.root)
    #expect(Set(listed.map { Array($0.utf8) }) == Set(names.map { Array($0.utf8) }))
    for name in names { #expect(try await test.read(name) == Self.bytes(name)) }
    #expect(Set(try await names.asyncMap { try await test.node($0).inode }).count == names.count)
    try await test.put([9], names[0])
    try await test.remove(names[1])
    try await test.settleUploads()
    var left = Dictionary(uniqueKeysWithValues: names.map { (Array($0.utf8), Self.bytes($0)) })
    left[Array(names[0].utf8)] = [9]
    left[Array(names[1].utf8)] = nil
    #expect(try test.store.files() == left)
    // What is asked for in a third spelling is the oldest one.
    if profile == "onedrive" { #expect(try await test.read("game.PLIST") == [9]) }
  }

  /// semantics: "A document whose stand-in's name would be too long, or is another item's, is listed under a name with a mark in it."
  @Test(arguments: ["icloud-legacy", "nextcloud-suffix"])
  func `a stand-in always has a name`(_ profile: String) async throws {
    let long = String(repeating: "\u{4e00}", count: 84) + "."
    let test = try await Self.drive(profile, [long + "a", long + "b"])
    let listed = try await test.list(.root)
    #expect(listed.count == 2 && Set(listed).count == 2)
    for name in listed {
      #expect(name.utf8.count <= 255)
      let stub = try await test.node(name)
      #expect(stub.isStub)
      test.drive.close(try await test.open(stub).value().handle)
    }
    for name in [long + "a", long + "b"] {
      try await test.settled("/" + name)
      #expect(try await test.read(name) == Self.bytes(name))
    }
    #expect(Set(try await test.list(.root)) == [long + "a", long + "b"])
  }

  /// semantics: "Documents that are called as stand-ins are can all be brought, and none is taken for another one."
  @Test(arguments: ["icloud-legacy", "nextcloud-suffix"])
  func `documents that look like stand-ins are told from them`(_ profile: String) async throws {
    let around = profile == "icloud-legacy" ? (".", ".icloud") : ("", ".nextcloud")
    func standIn(_ name: String) -> String { around.0 + name + around.1 }
    let names = ["a", standIn("a"), standIn(standIn("a"))]
    let test = try await Self.drive(profile, names)
    #expect(try await test.list(.root).sorted() == names.map(standIn).sorted())
    // The middle one comes first, so that the first one's stand-in needs another name.
    for name in [names[1], names[0], names[2]] {
      let listed = try await test.list(.root)
      #expect(Set(listed).count == 3, "\(listed)")
      let inode = try test.drive.find("/" + name)
      let shown = try #require(
        try await listed.asyncFirst { try await test.node($0).inode == inode })
      let stub = try await test.node(shown)
      #expect(stub.isStub)
      test.drive.close(try await test.open(stub).value().handle)
      try await test.settled("/" + name)
      #expect(try await test.read(name) == Self.bytes(name))
    }
    #expect(try await test.list(.root).sorted() == names.sorted())
  }

  @Test func `who makes a hidden document's name in another spelling makes a copy of it`()
    async throws
  {
    let test = try await Self.drive("icloud-legacy", ["Game.plist"])
    try await test.put([1], "GAME.plist")
    try await test.settleUploads()
    let tree = try test.store.tree()
    #expect(tree["Game.plist"] == Self.bytes("Game.plist"))
    #expect(tree["Game 2.plist"] == [1])
  }

  @Test func `what the account does not take is refused before anything is made`() async throws {
    let test = try await Self.drive("onedrive", ["a"])
    for name in ["CON", "a.", "a:b", "~$x", " x", "Desktop.ini"] {
      await #expect(throws: Errno.invalid) { try await test.create(name) }
      await #expect(throws: Errno.invalid) { try await test.rename("a", to: name) }
    }
    #expect(try await test.list(.root) == ["a"])
    let nextcloud = try await Self.drive("nextcloud-mac", [])
    await #expect(throws: Errno.nameTooLong) {
      try await nextcloud.create(String(repeating: "x", count: 251))
    }
    await #expect(throws: Errno.invalid) { try await nextcloud.create("x.part") }
  }
}

extension MemoryStore {
  /// The documents in the cloud, by the bytes of their names: two Unicode forms are one text to Swift.
  fileprivate func files() throws -> [[UInt8]: [UInt8]] {
    var files: [[UInt8]: [UInt8]] = [:]
    for path in paths where path != "/" {
      files[Array(path.utf8.dropFirst())] = try content(at: path)
    }
    return files
  }
}

extension Array where Element == String {
  fileprivate func asyncMap<Value>(_ body: (String) async throws -> Value) async throws -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }

  fileprivate func asyncFirst(_ isMeant: (String) async throws -> Bool) async throws -> String? {
    for element in self where try await isMeant(element) { return element }
    return nil
  }
}
