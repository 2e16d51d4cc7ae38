import Control
import Foundation
import Fuse
import Glibc
import Platform

extension HostFacts {
  /// Finds out the facts about this machine, for this user.
  public static func read() -> HostFacts {
    let root = WorldLayout.defaultRoot()
    return HostFacts(
      device: fitness { () throws(FuseError) in
        try MountCapability.checkDevice()
        return MountCapability.device
      },
      helper: fitness { () throws(FuseError) in try MountCapability.findHelper() },
      mountsDirectly: MountCapability.mountsDirectly,
      usersMayAllowOthers: allowsOthers(at: "/etc/fuse.conf"),
      kernel: KernelSupport.releaseText,
      stateFolder: stateFolder(root),
      drives: MountCleaner.drives(),
      worlds: worlds(in: root))
  }

  private static func fitness(_ find: () throws(FuseError) -> String) -> Fitness {
    do throws(FuseError) {
      return .fit(try find())
    } catch {
      return .unfit(error.message, error.exitCode)
    }
  }

  private static func allowsOthers(at path: String) -> Bool {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
      .contains { $0.trimmingCharacters(in: .whitespaces) == "user_allow_other" }
  }

  /// Whether worlds can be made in a folder that may not exist yet.
  private static func stateFolder(_ path: String) -> Fitness {
    var existing = path
    while existing != "/", access(existing, F_OK) != 0 {
      existing = (existing as NSString).deletingLastPathComponent
    }
    guard RealPath.isFolder(existing), access(existing, W_OK | X_OK) == 0 else {
      return .unfit(
        "worlds cannot be kept in \(path), since \(existing) cannot be written; set XDG_STATE_HOME"
          + " to a folder of your own, or name each --world", .cannotCreate)
    }
    return .fit(path)
  }

  private static func worlds(in root: String) -> [FoundWorld] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return names.sorted().compactMap { name in
      let layout = WorldLayout(directory: root + "/" + name)
      guard access(layout.settings, F_OK) == 0 else { return nil }
      let isRunning = (try? ControlClient(path: layout.controlSocket)) != nil
      return FoundWorld(directory: layout.directory, isRunning: isRunning)
    }
  }
}
