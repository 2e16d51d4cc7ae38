import Platform
import Testing

@testable import Profiles

@Suite struct NameTests {
  private static func name(_ text: String) throws -> FileName { try #require(FileName(text)) }

  static let refusals: [(String, Errno?)] = [
    ("letter.docx", nil), ("a:b", .invalid), ("CON", .invalid), ("con", .invalid),
    ("con.txt", nil), ("~$letter.docx", .invalid), ("end ", .invalid), ("end.", .invalid),
    ("desktop.ini", .invalid),
  ]

  @Test(arguments: refusals) func onedriveRefusesWhatItReserves(
    text: String, expected: Errno?
  ) throws {
    let rules = try #require(Profile.builtin(named: "onedrive")).account.names
    #expect(rules.refusal(of: try Self.name(text)) == expected)
  }

  @Test func aNameThatIsTooLongIsRefused() throws {
    var rules = try #require(Profile.builtin(named: "local")).account.names
    #expect(rules.refusal(of: try Self.name(String(repeating: "x", count: 255))) == nil)
    rules.maximumBytes = 10
    #expect(rules.refusal(of: try Self.name("12345678901")) == .nameTooLong)
  }

  @Test func namesCollideAsTheRulesSay() throws {
    let composed = try Self.name("caf\u{e9}")
    let decomposed = try Self.name("CAFe\u{301}")
    let icloud = try #require(Profile.builtin(named: "icloud")).account.names
    let synology = try #require(Profile.builtin(named: "synology")).account.names
    let local = try #require(Profile.builtin(named: "local")).account.names
    #expect(icloud.collisionKey(of: composed) == icloud.collisionKey(of: decomposed))
    #expect(synology.collisionKey(of: composed) != synology.collisionKey(of: decomposed))
    #expect(synology.collisionKey(of: try Self.name("A.txt")) == Array("a.txt".utf8))
    #expect(local.collisionKey(of: try Self.name("A.txt")) == Array("A.txt".utf8))
    let raw = try #require(FileName([0xFF, 0x41]))
    #expect(icloud.collisionKey(of: raw) == [0xFF, 0x41])
  }

  @Test func aNameIsStoredInTheAccountsForm() throws {
    var rules = try #require(Profile.builtin(named: "local")).account.names
    #expect(rules.stored(try Self.name("e\u{301}")).bytes == Array("e\u{301}".utf8))
    rules.storedAs = .composed
    #expect(rules.stored(try Self.name("e\u{301}")).bytes == Array("\u{e9}".utf8))
    rules.storedAs = .decomposed
    #expect(rules.stored(try Self.name("\u{e9}")).bytes == Array("e\u{301}".utf8))
  }

  /// 2013-01-03 09:01 UTC, the example of Synology's page.
  private static let moment = Timestamp(seconds: 1_357_203_660)

  static let copies: [(String, String, Int, String)] = [
    ("synology", "a.txt", 0, "a_Andy-PC_Jan-03-0901-2013_Conflict.txt"),
    ("synology", "a.txt", 1, "a_Andy-PC_Jan-03-0901-2013_Conflict 3.txt"),
    ("icloud", "a.tar.gz", 0, "a.tar 2.gz"), ("icloud", "a.txt", 3, "a 5.txt"),
    ("icloud", ".profile", 0, ".profile 2"), ("onedrive", "a", 0, "a-Andy-PC"),
    ("onedrive", "{number}", 0, "{number}-Andy-PC"),
  ]

  @Test(arguments: copies) func aConflictCopyIsNamedAsTheAccountDoes(
    profile: String, original: String, attempt: Int, expected: String
  ) throws {
    let naming = try #require(Profile.builtin(named: profile)).account.conflictCopies
    let name = naming.name(
      ofCopyOf: try Self.name(original), from: "Andy-PC", at: Self.moment, attempt: attempt)
    #expect(name?.text == expected)
  }

  @Test func aConflictCopysNameAlwaysFits() throws {
    let naming = ConflictNaming.pattern("{stem} ({device}) {number}{extension}")
    let long = try Self.name(String(repeating: "\u{e9}", count: 125) + ".txt")
    let name = try #require(naming.name(ofCopyOf: long, from: "a/b", at: Self.moment))
    #expect(name.bytes.count <= 255 && name.text.hasSuffix(" (a_b) 2.txt"))
    let device = String(repeating: "d", count: 400)
    #expect(naming.name(ofCopyOf: long, from: device, at: Self.moment) != nil)
    #expect(ConflictNaming.none.name(ofCopyOf: long, from: "a", at: Self.moment) == nil)
  }
}
