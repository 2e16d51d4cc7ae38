import Cloud
import Platform

/// A folder with a directory store on it, which can be closed and opened again.
final class TestDirectory: Sendable {
  let cloud: TemporaryFolder
  private let sidecar: TemporaryFolder
  private let current: Locked<DirectoryStore>

  init() throws {
    cloud = try TemporaryFolder()
    sidecar = try TemporaryFolder()
    current = Locked(try DirectoryStore(cloud.path, index: sidecar.at("index")))
  }

  deinit { store.close() }

  var store: DirectoryStore { current.withLock { $0 } }
  var indexFile: String { sidecar.at("index/cloud.sqlite") }
  var indexFolder: TemporaryFolder { sidecar }

  func close() { store.close() }

  func open() throws {
    let opened = try DirectoryStore(cloud.path, index: sidecar.at("index"))
    current.withLock { $0 = opened }
  }

  func anchor() async throws -> SyncAnchor {
    try await store.currentAnchor(cause: .housekeeping)
  }
}
