import Glibc

/// `~/` where a shell has not expanded it, as in `--cloud copy:~/docs`.
enum Tilde {
  /// The path with the home folder in place of `~`, as a shell would have it: `$HOME`.
  static func expand(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
    return String(cString: home) + path.dropFirst()
  }

  /// The same for a cloud, such as `copy:~/docs`.
  static func expandCloud(_ text: String) -> String {
    let prefix = "copy:"
    return text.hasPrefix(prefix)
      ? prefix + expand(String(text.dropFirst(prefix.count))) : expand(text)
  }
}
