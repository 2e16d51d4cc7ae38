/// One command line of the demonstration, what it shows, and what must come of it for that to be true.
struct DemoStep: Sendable {
  /// How a command line must end.
  enum Status: Sendable {
    case success
    case failure
  }

  /// Something that the ledger must tell of soon after a command line.
  struct Consequence: Sendable {
    let kind: String
    let path: String

    static func download(_ path: String) -> Self { Self(kind: "transfer", path: path) }
    static func eviction(_ path: String) -> Self { Self(kind: "eviction", path: path) }
  }

  /// The command line, as it is typed.
  let line: String
  let status: Status
  /// Regular expressions that match parts of the output; none means that nothing is printed.
  let says: [String]
  let consequence: Consequence?
  /// A sentence for the reader.
  let shows: String

  init(
    _ line: String, _ status: Status = .success, says: [String] = [".*"],
    then consequence: Consequence? = nil, shows: String
  ) {
    self.line = line
    self.status = status
    self.says = says
    self.consequence = consequence
    self.shows = shows
  }

  /// The program that it needs beside this one; such a step is left out where that is not there.
  var program: String { line.split(separator: " ").first.map(String.init) ?? "" }
}

/// A series of steps on a drive with one profile.
struct DemoStory: Sendable {
  let profile: String
  let introduction: String
  let steps: [DemoStep]

  static let all = [synology, icloud]
}

/// What a step came to.
struct DemoResult: Encodable, Sendable {
  let profile: String
  let line: String
  let status: Int32
  let output: String
  let shows: String
  /// What was not as expected; nil when all was.
  let surprise: String?
}
