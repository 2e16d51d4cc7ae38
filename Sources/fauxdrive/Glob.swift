/// Patterns of paths, as the control protocol takes them.
enum Glob {
  /// A pattern of fnmatch(3) that matches just this text.
  static func literal(_ text: String) -> String {
    text.map { "\\*?[".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  /// What a gate takes for just this path: a text without wildcards means itself.
  static func gate(_ path: String) -> String {
    path.contains(where: "*?[".contains) ? literal(path) : path
  }
}
