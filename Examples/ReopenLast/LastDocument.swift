import Foundation

/// Remembers which document was open last, as the text of its URL.
struct LastDocument {
  private let file: URL

  init() throws {
    let environment = ProcessInfo.processInfo.environment
    let home = FileManager.default.homeDirectoryForCurrentUser
    let state =
      environment["XDG_STATE_HOME"].map { URL(filePath: $0, directoryHint: .isDirectory) }
      ?? home.appending(path: ".local/state", directoryHint: .isDirectory)
    let folder = state.appending(path: "ReopenLast", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    file = folder.appending(path: "last-document")
  }

  func remember(_ url: URL) throws {
    try url.absoluteString.write(to: file, atomically: true, encoding: .utf8)
  }

  func recall() -> URL? {
    (try? String(contentsOf: file, encoding: .utf8)).flatMap { URL(string: $0) }
  }
}
