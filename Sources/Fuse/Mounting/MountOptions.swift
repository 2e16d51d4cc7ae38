/// How a file system is mounted.
public struct MountOptions: Hashable, Sendable {
  /// What /proc/self/mountinfo shows as the source (`fsname`).
  public var source: String
  /// What the type shows behind `fuse.`; empty for plain `fuse`.
  public var subtype: String
  /// Whether other users may use the mount. Ordinary users need `user_allow_other` in
  /// /etc/fuse.conf for it.
  public var allowsOtherUsers = false
  /// Whether the kernel checks permissions by mode and owner; then no ACCESS request comes.
  public var checksPermissions = false
  /// Whether the mount is read-only.
  public var isReadOnly = false
  /// Whether no program on it may be run.
  public var forbidsExecution = false
  /// The most bytes of a READ; nil is the kernel's own limit.
  public var maximumRead: UInt32?
  /// Whether the mountpoint may have entries, which the mount hides.
  public var allowsNonEmpty = false

  /// Options of a mount that only its owner may use.
  public init(source: String, subtype: String = "") {
    self.source = source
    self.subtype = subtype
  }

  /// The options that mount(2) and fusermount3 both take.
  var common: [String] {
    var options: [String] = []
    if allowsOtherUsers { options.append("allow_other") }
    if checksPermissions { options.append("default_permissions") }
    if let maximumRead { options.append("max_read=\(maximumRead)") }
    return options
  }

  /// The options for fusermount3, where a comma and a backslash are written behind a backslash.
  var forHelper: String {
    func escaped(_ text: String) -> String {
      text.map { $0 == "," || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
    var options = [isReadOnly ? "ro" : "rw", "nosuid", "nodev"] + common
    if forbidsExecution { options.append("noexec") }
    options.append("fsname=\(escaped(source))")
    if !subtype.isEmpty { options.append("subtype=\(escaped(subtype))") }
    return options.joined(separator: ",")
  }
}
