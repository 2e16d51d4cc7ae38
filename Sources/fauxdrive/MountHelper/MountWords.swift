import Control
import Daemon
import Glibc
import Options
import Platform

/// What `mount SOURCE MOUNTPOINT -o OPTIONS` says, as a drive takes it.
struct MountWords {
  static let sourceHelp =
    "the cloud, such as copy:/srv/docs; 'none': the one that the world has; or as /proc/mounts shows it"

  /// Options that are those of `fauxdrive mount`: NAME=VALUE for --NAME=VALUE.
  private static let drive = MountVerbs.mountOptions

  /// Options about the mount, and what they do.
  private static let own: [(name: String, help: String)] = [
    ("ro, rw", "let nobody change anything, or everybody who may (rw)"),
    ("noexec, exec", "let nobody run programs from it, or everybody (exec)"),
    ("remount", "change only the options above, of a drive that is mounted"),
    ("setuid=USER", "mount as this user, in whose home the world is then; only root may"),
    ("nosuid, nodev", "are always so"),
  ]

  /// What mount(8), /etc/fstab and systemd understand by themselves, and what means nothing on a drive.
  private static let foreign: Set<String> = [
    "defaults", "auto", "noauto", "user", "nouser", "users", "nousers", "owner", "noowner", "group",
    "nogroup", "_netdev", "nofail", "comment", "helper", "uhelper", "suid", "nosuid", "dev",
    "nodev",
    "async", "atime", "noatime", "diratime", "nodiratime", "relatime", "norelatime", "strictatime",
    "nostrictatime", "lazytime", "nolazytime", "silent", "loud",
  ]

  /// What the kernel tells of a mount, and mount(8) names again at a remount.
  private static let told: Set<String> = [
    "user_id", "group_id", "default_permissions", "max_read", "blksize",
  ]

  /// The list for the help.
  static var help: [(String, String)] {
    drive.map { option in
      (
        option.name.replacing("allow-other", with: "allow_other")
          + (option.argument.map { "=\($0)" } ?? ""), option.help
      )
    } + own.map { ($0.name, $0.help) } + [
      ("_netdev, nofail, ...", "what mount(8), fstab(5) and systemd.mount(5) understand")
    ]
  }

  private let source: String
  private let mountpoint: String
  private var driveWords: [String] = []
  private var isReadOnly = false
  private var forbidsExecution = false
  /// Whether a mount is there, whose flags are to be changed.
  let isRemount: Bool
  /// Who mounts; nil for whoever calls.
  private(set) var user: String?

  /// Reads the words.
  ///
  /// - Parameter ignoringUnknown: whether unknown options are left out, which `mount -s` asks for.
  init(
    source: String, mountpoint: String, options: String, ignoringUnknown: Bool = false
  ) throws(UsageError) {
    self.source = source
    self.mountpoint = mountpoint
    let all = Self.split(options)
    isRemount = all.contains("remount")
    for option in all { try add(option, ignoringUnknown: ignoringUnknown) }
  }

  private mutating func add(_ option: String, ignoringUnknown: Bool) throws(UsageError) {
    let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let value = parts.count > 1 ? String(parts[1]) : nil
    switch name {
    case "ro", "rw": isReadOnly = name == "ro"
    case "noexec", "exec": forbidsExecution = name == "noexec"
    case "remount": break
    case "setuid":
      guard let value, !value.isEmpty else {
        throw UsageError("the mount option 'setuid' needs a user: setuid=USER")
      }
      user = value
    case _ where Self.foreign.contains(name) || name.hasPrefix("x-") || name.hasPrefix("X-"): break
    case _ where isRemount && Self.told.contains(name): break
    default: try add(drive: name, value, ignoringUnknown: ignoringUnknown)
    }
  }

  private mutating func add(
    drive name: String, _ value: String?, ignoringUnknown: Bool
  ) throws(UsageError) {
    let spelling = name == "allow_other" ? "allow-other" : name
    guard let option = Self.drive.first(where: { $0.name == spelling }) else {
      guard !ignoringUnknown else { return }
      let known =
        Self.drive.map(\.name) + ["allow_other", "remount", "setuid", "ro", "rw", "nofail"]
      let hint = Suggestion.nearest(to: name, in: known).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageError("there is no mount option '\(Terminal.printable(name))'\(hint)")
    }
    guard (option.argument == nil) == (value == nil) else {
      throw UsageError(
        option.argument.map { "the mount option '\(name)' needs a value: \(name)=\($0)" }
          ?? "the mount option '\(name)' takes no value")
    }
    driveWords.append("--\(spelling)" + (value.map { "=\($0)" } ?? ""))
  }

  /// Parts a list at its commas. A comma in a value is written between double quotes or behind a backslash.
  static func split(_ list: String) -> [String] {
    var options = [""]
    var (isQuoted, isEscaped) = (false, false)
    for letter in list {
      if isEscaped {
        options[options.count - 1].append(letter)
        isEscaped = false
      } else if letter == "\\" {
        isEscaped = true
      } else if letter == "\"" {
        isQuoted.toggle()
      } else if letter == ",", !isQuoted {
        options.append("")
      } else {
        options[options.count - 1].append(letter)
      }
    }
    return options.filter { !$0.isEmpty }
  }
}

extension MountWords {
  /// The request to mount.
  ///
  /// - Throws: `UsageError` about a value.
  func request() throws -> MountRequest {
    var request: MountRequest
    do throws(UsageError) {
      request = try MountVerbs.request(words: driveWords + ["--", mountpoint])
    } catch {
      // "--seed: ..." is about "seed=" here.
      throw UsageError(
        error.message.hasPrefix("--") ? String(error.message.dropFirst(2)) : error.message)
    }
    request.isReadOnly = isReadOnly
    request.forbidsExecution = forbidsExecution
    // In /proc/mounts a number sign, the only special character of such a source, is escaped.
    if let known = MountSource(source.replacing("\\043", with: "#")) {
      request.world = request.world ?? known.world
      request.device = request.device ?? known.device
    } else if source != "none" {
      request.cloud = source
    }
    return request
  }

  /// Where the world is that was given no place; nil for where `fauxdrive mount` has it.
  ///
  /// Root's is the same at the start of the machine, where there is no $HOME, and afterwards.
  func world(forUser number: uid_t) -> String? {
    guard number == 0, user == nil else { return nil }
    return WorldLayout.forMountpoint(absoluteMountpoint) {
      $0 == "XDG_STATE_HOME" ? "/var/lib" : nil
    }
    .directory
  }

  private var absoluteMountpoint: String {
    guard let real = realpath(mountpoint, nil) else { return mountpoint }
    defer { free(real) }
    return String(cString: real)
  }

  /// A world that is new needs a source that is a cloud.
  func checkSource(_ request: MountRequest) throws(UsageError) {
    guard request.cloud == nil else { return }
    let layout =
      request.world.map { WorldLayout(directory: $0) }
      ?? WorldLayout.forMountpoint(absoluteMountpoint)
    guard access(layout.settings, F_OK) != 0, errno == ENOENT else { return }
    throw UsageError(
      "there is no world at '\(layout.directory)' yet, so the source must be a cloud, such as copy:DIR"
    )
  }
}
