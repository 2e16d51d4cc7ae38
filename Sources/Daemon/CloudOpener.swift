import Cloud
import Control
import Foundation
import Platform
import Simulation

/// Opens the cloud of a world, making the copy of `copy:` the first time.
struct CloudOpener {
  private let layout: WorldLayout
  private let settings: WorldSettings
  private let gates: Gates

  init(_ layout: WorldLayout, _ settings: WorldSettings, _ gates: Gates) {
    self.layout = layout
    self.settings = settings
    self.gates = gates
  }

  func open() throws(WorldError) -> any CloudStore {
    if settings.cloud == "memory:" { return MemoryStore() }
    let prefix = "copy:"
    guard settings.cloud.hasPrefix(prefix) else { return try directory(settings.cloud) }
    return try directory(try copy(of: String(settings.cloud.dropFirst(prefix.count))))
  }

  private func copy(of source: String) throws(WorldError) -> String {
    let target = layout.cloudCopy
    guard !RealPath.isFolder(target) else { return target }
    let partial = target + ".partial"
    do {
      // What an earlier start left unfinished is not the copy.
      try? FileManager.default.removeItem(atPath: partial)
      try DirectoryCopy.copy(source, to: partial)
      try FileManager.default.moveItem(atPath: partial, toPath: target)
    } catch let error as CloudError {
      throw WorldError(.noInput, error.message)
    } catch {
      throw WorldError(.cannotCreate, "the copy of '\(source)' cannot be put in place: \(error)")
    }
    return target
  }

  /// Lets gates end the process in the middle of a change of the cloud's folder.
  private var hook: WritingHook {
    WritingHook { [gates] step in
      if let step = CloudStep(rawValue: step.rawValue) {
        gates.pass(.cloud(step)) { CheckpointSubject(item: "", path: "", cause: 0) }
      }
      return nil
    }
  }

  private func directory(_ path: String) throws(WorldError) -> any CloudStore {
    do throws(CloudError) {
      // Identifiers follow the seed, so two worlds of one seed name alike what they meet alike.
      return try DirectoryStore(
        path, index: layout.cloudIndex, generation: String(settings.seed, radix: 16),
        hook: hook)
    } catch {
      throw WorldError(error.code == .corrupt ? .badConfiguration : .noInput, error.message)
    }
  }
}
