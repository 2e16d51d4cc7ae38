/// Why a profile cannot be used: where the mistake is, and what would be right.
public struct ProfileError: Error, Hashable, Sendable {
  /// The file's path, or a built-in profile's name.
  public var file: String
  /// The line, from 1; 0 when the file as a whole is meant.
  public var line: Int
  /// Where in the line, in bytes from 1; 0 when the file as a whole is meant.
  public var column: Int
  /// The path of the value in the file ("representation.dial.stat.answer"); empty for the whole file.
  public var keyPath: String
  /// What is wrong, as a sentence without its full stop.
  public var problem: String
  /// What is allowed instead; empty when the problem says it.
  public var allowed: [String]

  /// Describes a mistake.
  public init(
    file: String, line: Int = 0, column: Int = 0, keyPath: String = "", problem: String,
    allowed: [String] = []
  ) {
    self.file = file
    self.line = line
    self.column = column
    self.keyPath = keyPath
    self.problem = problem
    self.allowed = allowed
  }
}

extension ProfileError {
  init(
    file: String, at place: TextPlace, keyPath: String = "", problem: String,
    allowed: [String] = []
  ) {
    self.init(
      file: file, line: place.line, column: place.column, keyPath: keyPath, problem: problem,
      allowed: allowed)
  }
}

extension ProfileError: CustomStringConvertible {
  /// `file:line:column: keyPath: problem (allowed: a, b)`, as compilers write it.
  public var description: String {
    var text = file
    if line > 0 { text += ":\(line):\(column)" }
    if !keyPath.isEmpty { text += ": \(keyPath)" }
    text += ": \(problem)"
    if !allowed.isEmpty { text += " (allowed: \(allowed.joined(separator: ", ")))" }
    return text
  }
}
