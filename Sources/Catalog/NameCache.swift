internal import Platform

/// Folders whose names are looked up again and again, kept until the next commit.
///
/// To keep a folder costs a listing of it, so it is kept once its look-ups have cost about as much: work
/// that looks up a few names pays nothing, and any other at most twice.
final class NameCache: Sendable {
  private struct State: Sendable {
    /// Counts commits; what was read before one is not kept after it.
    var generation: UInt64 = 0
    var folders: [InodeNumber: FolderNames] = [:]
    /// Look-ups since the last commit in folders that are not kept.
    var misses: [InodeNumber: Int] = [:]
    var names = 0
  }

  /// What a look-up of a folder found.
  enum Answer {
    /// The folder is kept, and this is what it holds under the name.
    case known(Entry?)
    /// The folder is not kept; `load` says how many names it may have to be kept now, or nil.
    case unknown(load: Int?, generation: UInt64)
  }

  private let state = Locked(State())

  /// All folders together keep so many names at most, about 200 bytes each.
  private static let maximumNames = 20_000
  private static let maximumFolders = 4096
  /// A listing reads so many names in the time of one look-up.
  private static let namesALookup = 16

  /// Looks up a name.
  func find(_ name: borrowing Span<UInt8>, in folder: InodeNumber) -> Answer {
    state.withLock { state in
      if let names = state.folders[folder] { return .known(names.find(name)) }
      if state.misses.count >= Self.maximumFolders { state.misses = [:] }
      let misses = (state.misses[folder] ?? 0) + 1
      state.misses[folder] = misses
      // Tried with every doubling, so that all the attempts cost no more than the look-ups.
      let isTime = misses >= 8 && misses & (misses - 1) == 0
      let limit = min(misses * Self.namesALookup, Self.maximumNames)
      return .unknown(load: isTime ? limit : nil, generation: state.generation)
    }
  }

  /// Keeps a folder, all names of it, unless something was committed since `generation`.
  func keep(_ names: FolderNames, of folder: InodeNumber, generation: UInt64) {
    state.withLock { state in
      guard state.generation == generation, state.folders[folder] == nil else { return }
      if state.names + names.count > Self.maximumNames {
        state.folders = [:]
        state.names = 0
      }
      state.folders[folder] = names
      state.names += names.count
    }
  }

  /// Forgets everything: something was committed.
  func commitHappened() {
    state.withLock { state in
      state.generation += 1
      guard !state.misses.isEmpty || !state.folders.isEmpty else { return }
      state.folders = [:]
      state.misses = [:]
      state.names = 0
    }
  }
}
