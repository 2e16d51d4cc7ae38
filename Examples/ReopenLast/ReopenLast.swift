import Foundation

/// An app that opens the last document again when it is launched, reduced to just that.
///
/// It is written as for any platform, with Foundation alone, and knows nothing of the drive that its
/// document may lie on. The exit status tells whether the document was opened.
@main
struct ReopenLast {
  /// What is asked before the document is opened.
  enum Check: String {
    /// `checkResourceIsReachable()` alone.
    case reachable = "--reachable"
    /// `FileManager.fileExists(atPath:)` first, and then `checkResourceIsReachable()`.
    case existsFirst = "--exists-first"
    /// Nothing: opening it tells.
    case unchecked = "--unchecked"
  }

  static let usage = """
    Usage: ReopenLast remember FILE
           ReopenLast launch [--reachable | --exists-first | --unchecked]

    """

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let last = try LastDocument()
    switch (arguments.first, arguments.dropFirst().first) {
    case ("remember", let path?): try last.remember(URL(filePath: path).absoluteURL)
    case ("launch", let option):
      guard let check = Check(rawValue: option ?? "--reachable") else { fallthrough }
      exit(launch(last.recall(), check) ? 0 : 1)
    default:
      FileHandle.standardError.write(Data(usage.utf8))
      exit(64)
    }
  }

  /// Shows the last document if it can be had, else what an app shows without one.
  static func launch(_ url: URL?, _ check: Check) -> Bool {
    guard let url else {
      print("There is no last document.")
      return false
    }
    print("The last document is \(url.lastPathComponent).")
    if isThere(url, check), let game = open(url) {
      print("Opened '\(game.title)': level \(game.level), \(game.score) points.")
      return true
    }
    print("Not opened: here comes the document browser.")
    return false
  }

  static func isThere(_ url: URL, _ check: Check) -> Bool {
    if check == .unchecked { return true }
    if check == .existsFirst {
      print("fileExists(atPath:): \(FileManager.default.fileExists(atPath: url.path))")
    }
    do {
      let isReachable = try url.checkResourceIsReachable()
      print("checkResourceIsReachable(): \(isReachable)")
      return isReachable
    } catch {
      print("checkResourceIsReachable(): \(describe(error))")
      return false
    }
  }

  static func open(_ url: URL) -> Game? {
    do {
      return try Game(contentsOf: url)
    } catch {
      print("opening it: \(describe(error))")
      return nil
    }
  }

  static func describe(_ error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
    let reason = cause.map { ", \($0.domain) \($0.code)" } ?? ""
    return "failed, \(error.domain) \(error.code)\(reason)"
  }
}
