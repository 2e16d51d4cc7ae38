internal import Glibc
internal import Platform

/// Finds the folder in which a store stages what it writes.
///
/// The folder must be where the kernel renames to and from the cloud's folder, so that putting in place
/// is one step. In this order: in the index's folder; hidden beside the cloud's folder; hidden in it
/// (when the cloud's folder is itself where a file system is mounted). A hidden folder is made when the
/// first write needs it, and goes away with the store.
final class Staging: Sendable {
  /// What names begin with that no cloud lists.
  static let prefix = ".fauxdrive-staging-"

  let hook: WritingHook
  private let cloud: CloudFolder
  private let paths: [StagingPlace: String]
  private let places: [StagingPlace]
  private let chosen = Locked<StagingFolder?>(nil)
  private let exchange = Locked<Result<Bool, Errno>?>(nil)

  /// - Parameter token: tells the hidden folders of several indexes apart.
  init(
    _ cloud: CloudFolder, index: String, token: String, places: [StagingPlace], hook: WritingHook
  ) {
    self.cloud = cloud
    self.places = places
    self.hook = hook
    let hidden = Self.prefix + token
    let parent = cloud.path.split(separator: "/").dropLast().joined(separator: "/")
    paths = [
      .index: "\(index)/staging", .beside: "/\(parent)/\(hidden)",
      .inside: "\(cloud.path)/\(hidden)",
    ]
  }

  /// The folder for what is to be written; made when it is missing.
  func folder() throws(CloudError) -> StagingFolder {
    try chosen.withLock { chosen throws(CloudError) in
      if let chosen { return chosen }
      let found = try choose()
      chosen = found
      return found
    }
  }

  /// Refuses what needs an exchange of two names where the file system has none, before anything is done.
  func checkExchange() throws(CloudError) {
    let folder = try folder()
    let result = exchange.withLock { known in
      let result = known ?? probe(folder)
      // A full disk, say, tells nothing of the file system: it is tried again with the next write.
      if result.isLasting { known = result }
      return result
    }
    guard case .failure(let error) = result else { return }
    throw WritingFailure.error(error, "Nothing in the cloud folder \(cloud.path) can be replaced")
  }

  private func probe(_ folder: StagingFolder) -> Result<Bool, Errno> {
    Result { () throws(Errno) in
      try hook.fail(at: .probing)
      try folder.tryExchange()
      return true
    }
  }

  /// All folders that a process before this one may have used.
  func existing() -> [StagingFolder] {
    StagingPlace.allCases.compactMap { place in
      try? paths[place].map { path throws(Errno) in
        try StagingFolder(place, at: path, isMade: false)
      }
    }
  }

  /// Removes what is hidden and empty.
  func leave() {
    for folder in existing() where folder.place != .index { rmdir(folder.path) }
  }

  private func choose() throws(CloudError) -> StagingFolder {
    let root = try cloud.openRoot()
    var reason = Errno.notSupported
    for place in places {
      guard let path = paths[place] else { continue }
      do throws(Errno) {
        let folder = try StagingFolder(place, at: path, isMade: true)
        if try folder.reaches(root) { return folder }
        if place != .index { rmdir(path) }
      } catch {
        reason = error
      }
    }
    throw WritingFailure.error(
      reason, "Nothing can be written to the cloud folder \(cloud.path): it takes no staging folder"
    )
  }
}

extension Result<Bool, Errno> {
  /// Whether trying again would end the same.
  fileprivate var isLasting: Bool {
    guard case .failure(let error) = self else { return true }
    return [.invalid, .notImplemented, .notSupported].contains(error)
  }
}
