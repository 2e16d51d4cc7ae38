import Catalog
import Platform

/// What the cloud has refused since a name was taken.
extension Uploader {
  /// Whether an item that the cloud has refused for its name may have got it just now, so that it must be
  /// sent once more.
  ///
  /// - Parameter isAlone: whether nothing else is pending, after the refusal, that could free the name: only
  ///   if the cloud refuses it after that as well, somebody else has the name.
  func mayHaveRoom(for item: PendingItem, isAlone: Bool) -> Bool {
    state.withLock { state in
      let last = state.refusal(of: item)
      var refusal = last ?? Refusal(sequence: item.sequence)
      refusal.isAlone = isAlone
      state.refused[item.inode] = refusal
      return last.map { isAlone && !$0.isAlone } ?? true
    }
  }

  /// Whether an item has made room for another one in its present state.
  func isAside(_ item: PendingItem) -> Bool {
    state.withLock { $0.refusal(of: item)?.isAside ?? false }
  }

  /// The cloud has an item out of the way of another one.
  func steppedAside(_ item: PendingItem) {
    state.withLock { state in
      guard var refusal = state.refusal(of: item) else { return }
      refusal.isAside = true
      state.refused[item.inode] = refusal
    }
  }
}
