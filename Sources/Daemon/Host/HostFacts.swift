public import Platform

/// What of this machine decides whether and how drives can be mounted.
public struct HostFacts: Hashable, Sendable {
  /// Something that is fit for its purpose, or why it is not.
  public enum Fitness: Hashable, Sendable {
    /// It is, with its name or version.
    case fit(String)
    /// It is not: what is wrong and what to do, and the exit status of a command that needs it.
    case unfit(String, ExitCode)
  }

  /// A world's folder that was found below the state folder.
  public struct FoundWorld: Hashable, Sendable {
    /// The folder.
    public var directory: String
    /// Whether a process serves it.
    public var isRunning: Bool

    /// A found world.
    public init(directory: String, isRunning: Bool) {
      self.directory = directory
      self.isRunning = isRunning
    }
  }

  /// /dev/fuse, for this user.
  public var device: Fitness
  /// fusermount3, for this user.
  public var helper: Fitness
  /// Whether the helper is not needed, since this process may mount by itself.
  public var mountsDirectly: Bool
  /// Whether ordinary users may let other users use their mounts.
  public var usersMayAllowOthers: Bool
  /// The running kernel's release, such as "6.1.0-18-amd64".
  public var kernel: String
  /// The folder below which worlds lie, or what is wrong with it.
  public var stateFolder: Fitness
  /// The drives in the mount table.
  public var drives: [MountCleaner.Found]
  /// The worlds below the state folder.
  public var worlds: [FoundWorld]

  /// Facts that are told instead of found out.
  public init(
    device: Fitness, helper: Fitness, mountsDirectly: Bool, usersMayAllowOthers: Bool,
    kernel: String, stateFolder: Fitness, drives: [MountCleaner.Found] = [],
    worlds: [FoundWorld] = []
  ) {
    self.device = device
    self.helper = helper
    self.mountsDirectly = mountsDirectly
    self.usersMayAllowOthers = usersMayAllowOthers
    self.kernel = kernel
    self.stateFolder = stateFolder
    self.drives = drives
    self.worlds = worlds
  }
}
