import Catalog
import Control
import Drive
import Foundation
import Glibc
import Platform

/// A look at everything that the devices of a world have, page by page.
public enum WorldCheck {
  /// What was found of one device.
  public struct Found: Hashable, Sendable {
    /// The device's name.
    public let device: String
    /// What is wrong, each in a few words; empty when all is well.
    public let problems: [String]
  }

  /// Looks at a world that does not run. Nothing is repaired: the next mount does that.
  ///
  /// - Throws: when there is no world, or it runs, or a catalog cannot be read.
  public static func run(_ directory: String) throws(WorldError) -> [Found] {
    let layout = WorldLayout(directory: RealPath.resolveMissing(directory))
    guard access(layout.settings, F_OK) == 0 else {
      throw WorldError(.noInput, "there is no world in '\(directory)'")
    }
    // Held until all is looked at, so that nobody mounts it meanwhile.
    let folder = try WorldFolder(layout)
    defer { withExtendedLifetime(folder) {} }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.devices)) ?? []
    var found: [Found] = []
    for name in names.sorted() {
      do throws(CatalogError) {
        let problems = try DeviceFolder.examine(layout.devices + "/" + name)
        found.append(Found(device: name, problems: problems))
      } catch {
        throw WorldError(.cannotCreate, error.message)
      }
    }
    return found
  }
}
