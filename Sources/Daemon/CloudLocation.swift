import Platform

/// Where a world's cloud is, as `--cloud` says it.
public enum CloudLocation: Hashable, Sendable {
  /// A folder: what lies in it is in the cloud.
  case folder(String)
  /// A copy of a folder, made when the world is; the folder itself is never touched.
  case copy(of: String)
  /// Nothing but memory: it is empty at every start.
  case memory

  /// Reads `DIR`, `copy:DIR` or `memory:`.
  ///
  /// - Throws: when it is neither.
  public init(_ text: String) throws(WorldError) {
    if text == "memory:" {
      self = .memory
    } else if text.hasPrefix("copy:") {
      self = .copy(of: try Self.path(text.dropFirst(5)))
    } else if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") {
      throw WorldError(
        .usage, "'\(text)' is no cloud that this version knows; use DIR, copy:DIR or memory:")
    } else {
      self = .folder(try Self.path(text[...]))
    }
  }

  /// The text that reads back as this.
  public var text: String {
    switch self {
    case .folder(let path): path
    case .copy(let path): "copy:" + path
    case .memory: "memory:"
    }
  }

  private static func path(_ text: Substring) throws(WorldError) -> String {
    guard !text.isEmpty else {
      throw WorldError(.usage, "the cloud has no folder; use DIR, copy:DIR or memory:")
    }
    guard let path = RealPath.resolve(String(text)) else {
      throw WorldError(
        .noInput, "the cloud's folder '\(text)' does not exist; make it, or name another one")
    }
    guard RealPath.isFolder(path) else {
      throw WorldError(.noInput, "the cloud '\(text)' is not a folder; name one")
    }
    return path
  }
}
