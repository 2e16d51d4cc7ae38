/// Why a profile cannot be used: where the mistake is, and what would be right.
public struct ProfileError: Error, Hashable, Sendable {
  /// The file's path, or a built-in profile's name.
  public var file: String
  /// The line, from 1; 0 when the file as a whole is meant.
  public var line: Int
  /// The path of the value in the file ("representation.dial.stat.answer"); empty for the whole file.
  public var keyPath: String
  /// What is wrong, as a sentence without its full stop.
  public var problem: String
  /// What is allowed instead; empty when the problem says it.
  public var allowed: [String]

  /// Describes a mistake.
  public init(
    file: String, line: Int = 0, keyPath: String = "", problem: String, allowed: [String] = []
  ) {
    self.file = file
    self.line = line
    self.keyPath = keyPath
    self.problem = problem
    self.allowed = allowed
  }
}

extension ProfileError: CustomStringConvertible {
  /// `file:line: keyPath: problem (allowed: a, b)`, as compilers write it.
  public var description: String {
    var text = file
    if line > 0 { text += ":\(line)" }
    if !keyPath.isEmpty { text += ": \(keyPath)" }
    text += ": \(problem)"
    if !allowed.isEmpty { text += " (allowed: \(allowed.joined(separator: ", ")))" }
    return text
  }
}
