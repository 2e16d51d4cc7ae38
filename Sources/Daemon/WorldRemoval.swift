import Foundation
import Glibc
import Platform

/// Removes a world's folder.
public enum WorldRemoval {
  private static let names = [
    "settings.json", "log", "lock", "control.sock", "cloud.index", "ledger.jsonl", "devices",
    "cloud",
    "clock",
  ]

  /// Removes what a world keeps, and the folder unless there is something else in it: the folder may be
  /// one that the user had before.
  public static func remove(_ directory: String) throws(WorldError) {
    do {
      for name in try FileManager.default.contentsOfDirectory(atPath: directory) where isOurs(name)
      {
        try FileManager.default.removeItem(atPath: directory + "/" + name)
      }
    } catch {
      throw WorldError(.failure, "the world at '\(directory)' cannot be removed: \(error)")
    }
    rmdir(directory)
  }

  /// Whether it is one of the world's files, or was made beside one, such as "cloud.index-wal".
  private static func isOurs(_ name: String) -> Bool {
    names.contains { name == $0 || name.hasPrefix($0 + "-") || name.hasPrefix($0 + ".") }
  }
}
