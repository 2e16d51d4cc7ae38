import Dispatch
import Foundation
import Glibc
import Platform

/// A thread that looks at a folder as often as it can, and reads all that is in it.
///
/// The folder must not be on a mount.
public final class FolderObserver: Sendable {
  /// A file as it was read.
  public struct Seen: Sendable {
    /// Its name.
    public let name: String
    /// All of its bytes; nil for what is no file, or went before it was opened.
    public let bytes: [UInt8]?
    /// How many names it has.
    public let links: Int
  }

  private struct State: Sendable {
    var complaints: [String] = []
    var looks = 0
    var isEnding = false
  }

  private let state = Locked(State())
  private let ended = DispatchSemaphore(value: 0)

  /// Begins to look.
  ///
  /// - Parameter judge: says what is wrong with what a look has seen.
  public init(_ folder: String, _ judge: @escaping @Sendable ([Seen]) -> [String]) {
    Threads.detach(named: "observer") { [self] in
      while !state.withLock({ $0.isEnding }) {
        let complaints = judge(Self.look(at: folder))
        state.withLock { state in
          state.looks += 1
          state.complaints += complaints
        }
      }
      ended.signal()
    }
  }

  /// Ends the thread; how often it has looked, and what was wrong.
  public func finish() -> (looks: Int, complaints: [String]) {
    state.withLock { $0.isEnding = true }
    ended.wait()
    return state.withLock { ($0.looks, $0.complaints) }
  }

  private static func look(at folder: String) -> [Seen] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { name in
      let file = open(folder + "/" + name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
      guard file >= 0 else { return Seen(name: name, bytes: nil, links: 1) }
      defer { close(file) }
      var status = stat()
      fstat(file, &status)
      guard status.st_mode & S_IFMT == S_IFREG else {
        return Seen(name: name, bytes: nil, links: 1)
      }
      return Seen(name: name, bytes: read(file), links: Int(status.st_nlink))
    }
  }

  /// In pieces, so that a file that is changed in place is found out.
  private static func read(_ file: CInt) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 200_000)
    while case let count = Glibc.read(file, &piece, piece.count), count > 0 {
      bytes += piece[..<count]
    }
    return bytes
  }
}
