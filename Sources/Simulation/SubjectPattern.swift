internal import Glibc
public import Platform

/// Which items something is about: a path, a folder, a pattern of names, or an item identifier.
///
/// - The empty text matches everything, also calls that are about no item.
/// - A text that ends with `/` matches that folder and everything below it.
/// - A text with `*`, `?` or `[` is a pattern of fnmatch(3): of the whole path when it holds a `/` (and
///   no wildcard matches a `/`), of the last component otherwise.
/// - Any other text matches the item at that path (a leading slash is optional) or with that identifier.
public struct SubjectPattern: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The text.
  public let text: String

  /// A pattern as it is written.
  public init(_ text: String) { self.text = text }

  /// A pattern as it is written.
  public init(stringLiteral text: String) { self.init(text) }

  /// Matches everything.
  public static let any = SubjectPattern("")

  /// Whether `subject` is one of those.
  public func matches(_ subject: CheckpointSubject) -> Bool {
    if text.isEmpty || text == subject.item { return true }
    guard !subject.path.isEmpty else { return false }
    let path = Self.rooted(subject.path)
    if text.hasSuffix("/") {
      let folder = Self.rooted(text)
      return (path + "/").hasPrefix(folder)
    }
    guard text.contains(where: { "*?[".contains($0) }) else { return path == Self.rooted(text) }
    guard text.contains("/") else {
      return fnmatch(text, String(path[path.lastName...]), 0) == 0
    }
    return fnmatch(Self.rooted(text), path, FNM_PATHNAME) == 0
  }

  private static func rooted(_ path: String) -> String { path.hasPrefix("/") ? path : "/" + path }
}

extension SubjectPattern: CustomStringConvertible {
  /// The text.
  public var description: String { text }
}

extension String {
  fileprivate var lastName: Index { lastIndex(of: "/").map { index(after: $0) } ?? startIndex }
}
