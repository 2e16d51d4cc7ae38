import DriveClient
import Foundation
import MountKit
import Testing

/// The account's rules for names, as programs meet them through the kernel.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct NameTests {
  /// Runs Python upon a drive; it prints what it has seen.
  private static func python(_ code: String, _ drive: MountedDrive) throws -> [String] {
    let preparation = """
      import errno, os, sys
      os.chdir(sys.argv[1])
      def tried(call, *arguments):
          try: return str(call(*arguments))
          except OSError as error: return errno.errorcode[error.errno]
      def put(name, text, mode='w'):
          with open(name, mode) as file: file.write(text)
      def get(name):
          with open(name) as file: return file.read()

      """
    let ended = try drive.run(
      "/usr/bin/python3", "-I", "-S", "-c", preparation + code, drive.mountpoint)
    try #require(ended.status == 0, "\(ended)")
    return ended.output.split(separator: "\n").map(String.init)
  }

  private static func content(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// semantics: "A rename that changes only the spelling of a name does nothing where the account takes both for the same, since they are one item to the kernel; it needs a third name in between, as on Linux's own file systems that ignore case."
  @Test func `an account that ignores case`() throws {
    let drive = try MountedDrive(
      "onedrive", cloud: ["Game.plist": Self.content("one"), "sub/x": Self.content("x")],
      options: [])
    let seen = try Self.python(
      """
      print(tried(os.stat, 'none'))
      put('None', 'made')
      print(get('NONE'), get('game.PLIST'), os.listdir('SUB'), os.path.samefile('sub', 'SUB'))
      print(tried(put, 'GAME.plist', 'x', 'x'), tried(os.mkdir, 'game.plist'))
      put('GAME.plist', 'two')
      print(get('Game.plist'), sorted(os.listdir('.')))
      os.rename('Game.plist', 'GAME.plist')
      print(sorted(os.listdir('.')))
      os.rename('Game.plist', 'third')
      os.rename('third', 'GAME.plist')
      print(sorted(os.listdir('.')), get('Game.plist'))
      os.unlink('none')
      print(tried(os.stat, 'NONE'), tried(os.mkdir, 'CON'), tried(put, 'a:b', ''))
      """, drive)
    #expect(
      seen == [
        "ENOENT", "made one ['x'] True", "EEXIST EEXIST", "two ['Game.plist', 'None', 'sub']",
        "['Game.plist', 'None', 'sub']", "['GAME.plist', 'None', 'sub'] two",
        "ENOENT EINVAL EINVAL",
      ])
    // Another device puts a second spelling there.
    try drive.put(Self.content("three"), at: "game.plist")
    _ = try drive.world().cloudRefresh()
    let now = try Self.python(
      "print(sorted(os.listdir('.')), get('GAME.plist'), get('game.plist'))", drive)
    #expect(now == ["['GAME.plist', 'game.plist', 'sub'] two three"])
  }

  @Test func `an account that keeps names composed`() throws {
    let drive = try MountedDrive(
      "nextcloud-mac", cloud: ["caf\u{e9}": Self.content("one")], options: [])
    let seen = try Self.python(
      """
      print(get('cafe\\u0301'), tried(put, 'cafe\\u0301', '', 'x'))
      put('e\\u0301', 'new')
      print(sorted(os.listdir('.')) == ['caf\\u00e9', '\\u00e9'], get('\\u00e9'), get('e\\u0301'))
      os.unlink('e\\u0301')
      print(tried(os.stat, '\\u00e9'), tried(put, 'x' * 251, ''), tried(put, '.htaccess', ''))
      """, drive)
    #expect(seen == ["one EEXIST", "True new new", "ENOENT ENAMETOOLONG EINVAL"])
  }

  @Test func `a stand-in whose name would be too long`() throws {
    let long = String(repeating: "x", count: 250)
    let drive = try MountedDrive(
      "nextcloud-suffix", cloud: [long: Self.content("long")], options: [])
    let seen = try Self.python(
      """
      (name,) = os.listdir('.')
      print(len(name), name.endswith('.nextcloud'), tried(os.stat, 'x' * 250))
      os.close(os.open(name, os.O_RDONLY))
      """, drive)
    #expect(seen == ["255 True ENOENT"])
    _ = try drive.drive().download(["/" + long])
    #expect(try Self.python("print(get('x' * 250))", drive) == ["long"])
  }
}
