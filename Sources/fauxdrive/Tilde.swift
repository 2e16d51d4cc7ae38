import Foundation

/// `~/` where a shell has not expanded it, as in `--cloud copy:~/docs`.
enum Tilde {
  static func expand(_ path: String) -> String {
    path == "~" || path.hasPrefix("~/") ? NSString(string: path).expandingTildeInPath : path
  }

  static func expandCloud(_ text: String) -> String {
    let prefix = "copy:"
    return text.hasPrefix(prefix)
      ? prefix + expand(String(text.dropFirst(prefix.count))) : expand(text)
  }
}
