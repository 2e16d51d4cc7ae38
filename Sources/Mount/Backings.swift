import Fuse
import Platform

/// The content files that the kernel reads by itself, one for each node while it is open so.
///
/// The kernel wants the same one for every open of a node, so the drive gives out one route at a time
/// and this table one backing file.
final class Backings: Sendable {
  private struct Shared: Sendable {
    let file: BackingFile
    var opens: Int
  }

  private let passthrough: Passthrough
  private let shared = Locked<[NodeID: Shared]>([:])

  init(_ passthrough: Passthrough) { self.passthrough = passthrough }

  /// The backing file of one more open; nil where the kernel does not allow it.
  func open(_ node: NodeID, _ descriptor: () -> CInt?) -> BackingFile.Identifier? {
    let known: BackingFile.Identifier? = shared.withLock { shared in
      shared[node]?.opens += 1
      return shared[node]?.file.identifier
    }
    if let known { return known }
    guard let descriptor = descriptor(), let file = try? passthrough.register(descriptor) else {
      return nil
    }
    return shared.withLock { shared in
      // Another open may have been quicker; its file is the node's, and this one goes away.
      shared[node, default: Shared(file: file, opens: 0)].opens += 1
      return shared[node]?.file.identifier
    }
  }

  /// One open less.
  func close(_ node: NodeID) {
    let last: BackingFile? = shared.withLock { shared in
      guard var entry = shared[node] else { return nil }
      entry.opens -= 1
      shared[node] = entry.opens > 0 ? entry : nil
      return entry.opens > 0 ? nil : entry.file
    }
    _ = last
  }
}
