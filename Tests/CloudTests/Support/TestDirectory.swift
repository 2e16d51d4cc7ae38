import Cloud
import Platform

/// A folder with a directory store on it, which can be closed and opened again.
final class TestDirectory: Sendable {
  let cloud: TemporaryFolder
  private let sidecar: TemporaryFolder
  private let current: Locked<DirectoryStore>
  /// What happens at the steps of writes.
  let script: WritingScript
  private let places: [StagingPlace]

  init(_ script: WritingScript = WritingScript(), places: [StagingPlace] = StagingPlace.allCases)
    throws
  {
    cloud = try TemporaryFolder()
    sidecar = try TemporaryFolder()
    self.script = script
    self.places = places
    current = Locked(
      try DirectoryStore(
        cloud.path, index: sidecar.at("index"), hook: script.hook, places: places))
  }

  deinit { store.close() }

  var store: DirectoryStore { current.withLock { $0 } }
  var indexFile: String { sidecar.at("index/cloud.sqlite") }
  var indexFolder: TemporaryFolder { sidecar }

  func close() { store.close() }

  func open() throws {
    let opened = try DirectoryStore(
      cloud.path, index: sidecar.at("index"), hook: script.hook, places: places)
    current.withLock { $0 = opened }
  }

  /// What lies in the staging folder of the index.
  func staged() throws -> [String] { try sidecar.names("index/staging") }

  func anchor() async throws -> SyncAnchor {
    try await store.currentAnchor(cause: .housekeeping)
  }
}
