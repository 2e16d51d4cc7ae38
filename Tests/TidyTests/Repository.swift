import Foundation

/// The files of this repository, as text.
enum Repository {
  struct File: Sendable {
    /// The path from the repository's root.
    let path: String
    let text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    var name: String { String(path.split(separator: "/").last ?? "") }
  }

  static let root: URL = {
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root
  }()

  /// Every file below some folders with one of the extensions.
  static func files(in folders: [String], _ extensions: Set<String>) -> [File] {
    folders.flatMap { folder in
      let names = (try? FileManager.default.subpathsOfDirectory(atPath: url(folder).path)) ?? []
      return names.sorted().filter { extensions.contains(($0 as NSString).pathExtension) }
        .compactMap { file(folder + "/" + $0) }
    }
  }

  static func file(_ path: String) -> File? {
    (try? String(contentsOf: url(path), encoding: .utf8)).map { File(path: path, text: $0) }
  }

  static func url(_ path: String) -> URL { root.appending(path: path) }

  static let swift = files(in: ["Sources", "Tests", "Examples"], ["swift"])
  static let sources = swift.filter { !$0.path.hasPrefix("Tests/") }
  static let pages =
    files(in: ["docs"], ["md"]) + ["README.md"].compactMap { file($0) }
}
