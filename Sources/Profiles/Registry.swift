internal import Glibc
internal import Platform

extension Profile {
  /// The largest file that is read as a profile, in bytes.
  static let maximumFileSize: Int64 = 1 << 20

  /// The built-in profiles, in the order in which they are listed. Each may be based on those before it.
  public static let builtins: [Profile] = {
    var profiles: [Profile] = []
    for (name, text) in builtinTexts {
      do {
        profiles.append(try read(try tree(of: text, name), name, bases: profiles))
      } catch {
        preconditionFailure("a built-in profile is wrong: \(error)")
      }
    }
    return profiles
  }()

  private static let builtinTexts: [(String, [UInt8])] = [
    ("local", PackageResources.local_json5),
    ("icloud", PackageResources.icloud_json5),
    ("icloud-legacy", PackageResources.icloud_legacy_json5),
    ("synology", PackageResources.synology_json5),
    ("onedrive", PackageResources.onedrive_json5),
    ("googledrive", PackageResources.googledrive_json5),
    ("dropbox-desktop", PackageResources.dropbox_desktop_json5),
    ("dropbox-ios", PackageResources.dropbox_ios_json5),
    ("nextcloud-mac", PackageResources.nextcloud_mac_json5),
    ("nextcloud-ios", PackageResources.nextcloud_ios_json5),
    ("nextcloud-suffix", PackageResources.nextcloud_suffix_json5),
    ("owncloud-ios", PackageResources.owncloud_ios_json5),
    ("smb", PackageResources.smb_json5),
  ]

  /// A built-in profile, or nil when there is none of that name.
  public static func builtin(named name: String) -> Profile? {
    builtins.first { $0.name == name }
  }

  /// The profile in a file.
  public static func load(fileAt path: String) throws(ProfileError) -> Profile {
    try parse(try text(ofFileAt: path), file: path)
  }

  static func text(ofFileAt path: String) throws(ProfileError) -> [UInt8] {
    do {
      return try contents(of: path)
    } catch {
      throw ProfileError(file: path, problem: "cannot be read: \(error)")
    }
  }

  /// A built-in profile by its name, or the one in a file: what a command line says.
  ///
  /// A text with a slash or with the ending .json5 is a path.
  public static func find(_ nameOrPath: String) throws(ProfileError) -> Profile {
    if nameOrPath.contains("/") || nameOrPath.hasSuffix(".json5") {
      return try load(fileAt: nameOrPath)
    }
    guard let profile = builtin(named: nameOrPath) else {
      let names = builtins.map(\.name)
      let hint = Suggestion.nearest(to: nameOrPath, in: names).map { "; did you mean '\($0)'?" }
      throw ProfileError(
        file: nameOrPath, problem: "is not a built-in profile" + (hint ?? ""),
        allowed: names + ["the path of a .json5 file"])
    }
    return profile
  }

  private static func contents(of path: String) throws(Errno) -> [UInt8] {
    let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw Errno.invalid }
    guard status.st_size <= maximumFileSize else { throw Errno.tooLarge }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(status.st_size), alignment: 1)
    defer { buffer.deallocate() }
    let count = try file.read(into: buffer, at: 0)
    return Array(buffer[..<count])
  }
}
