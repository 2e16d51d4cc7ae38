import Cloud
import Platform
import Testing

/// Folders that the system does not watch.
@Suite(.timeLimit(.minutes(5))) struct DirectoryScanTests {
  /// semantics: "Changes that somebody makes by hand in the cloud's folder are found at once where the system watches (inotify), within 30 seconds where it has no watch left for a folder that was listed, and always when a folder is listed."
  @Test("What no event tells is found by looking", arguments: [0, 1])
  func unwatchedFolders(watched: Int) async throws {
    let cloud = try TemporaryFolder()
    let index = try TemporaryFolder()
    try cloud.makeFolder("f")
    try cloud.write("1", to: "f/a")
    let store = try DirectoryStore(
      cloud.path, index: index.at("index"), hook: .none, maximumWatches: watched,
      scanInterval: .milliseconds(10))
    defer { store.close() }
    let f = try await store.find("f")
    let a = try #require(try await store.list(f.identifier).first)
    let anchor = try await store.currentAnchor(cause: .housekeeping)
    let told = Follower(store)
    // Nobody asks the store for anything meanwhile.
    try cloud.rename("f/a", to: "f/b")
    let moved = try await told.changes(since: anchor) { $0.last?.item?.name == FileName("b") }
    #expect(moved.last?.item?.identifier == a.identifier)
    try cloud.remove("f/b")
    _ = try await told.changes(since: anchor) { $0.last == .deleted(a.identifier) }
  }
}
