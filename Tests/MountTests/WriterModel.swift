import Foundation
import Glibc
import MountKit

/// What a folder must hold after the calls of a journal (see Tests/MountHands/writer.c).
///
/// The last call may have been done or not, since nobody was answered; all others have.
struct WriterModel {
  /// What is there when the last call has not been done.
  private(set) var tree: Tree
  /// What is there when it has; nil when the journal ends with one that has been answered.
  private(set) var alternative: Tree?
  /// A document whose last write may have been done in part, with what it held before and holds after it.
  private var torn: (path: String, before: [UInt8], after: [UInt8])?
  private var open: (path: String, isAppending: Bool)?

  /// Begins with what is there.
  init(_ tree: Tree) { self.tree = tree }

  /// Whether that can be.
  func allows(_ seen: Tree) -> Bool {
    if seen == tree || seen == alternative { return true }
    guard let torn, case .file(let bytes, _)? = seen.entries[torn.path] else { return false }
    var rest = seen
    rest.entries[torn.path] = tree.entries[torn.path]
    // A write of several pieces: each of its bytes is the old one or the new one, the new ones first.
    guard rest == tree, bytes.count <= max(torn.before.count, torn.after.count) else {
      return false
    }
    let new = zip(bytes, torn.after).prefix { $0 == $1 }.count
    return bytes.dropFirst(new).elementsEqual(torn.before.dropFirst(new))
  }

  /// Plays a journal. No call of it has met anything but the answers of a disk.
  mutating func play(_ journal: String) {
    let lines = journal.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    var index = 0
    while index < lines.count {
      let call = lines[index]
      let answer = index + 1 < lines.count ? Int32(lines[index + 1].last ?? "") : nil
      index += 2
      guard let answer, answer != ENOTCONN, answer != ECONNABORTED else {
        // Only the last one can have met the crash.
        var other = self
        other.do(call)
        alternative = other.tree
        if call[0] == "write", let open { torn = torn(call, open.path, other.tree) }
        return
      }
      if answer == 0 { self.do(call) }
    }
  }

  private func torn(
    _ call: [String], _ path: String, _ after: Tree
  ) -> (path: String, before: [UInt8], after: [UInt8])? {
    guard case .file(let old, _)? = tree.entries[path],
      case .file(let new, _)? = after.entries[path]
    else { return nil }
    return (path, old, new)
  }

  private mutating func `do`(_ call: [String]) {
    switch call[0] {
    case "open": openFile(call[1], call[2])
    case "write": write(Int(call[1]) ?? 0, Int(call[2]) ?? 0, number: UInt64(call[3]) ?? 0)
    case "close": open = nil
    case "truncate": change(call[1]) { $0 = Self.resized($0, to: Int(call[2]) ?? 0) }
    case "rename": rename(call[1], call[2])
    case "unlink", "rmdir": tree.entries[call[1]] = nil
    case "mkdir": tree.entries[call[1]] = .folder
    default: break
    }
  }

  private mutating func openFile(_ flags: String, _ path: String) {
    if flags.contains("c"), tree.entries[path] == nil { tree.entries[path] = .file([]) }
    if flags.contains("t") { change(path) { $0 = [] } }
    open = (path, flags.contains("a"))
  }

  private mutating func write(_ offset: Int, _ count: Int, number: UInt64) {
    guard let open else { return }
    change(open.path) { bytes in
      let start = offset < 0 ? bytes.count : offset
      if bytes.count < start + count { bytes = Self.resized(bytes, to: start + count) }
      for position in 0..<count {
        let mixed =
          number &* 0x9e37_79b9_7f4a_7c15 &+ UInt64(position / 8) &* 0xbf58_476d_1ce4_e5b9
        bytes[start + position] = UInt8(truncatingIfNeeded: mixed >> UInt64(position % 8 * 8))
      }
    }
  }

  private mutating func rename(_ path: String, _ other: String) {
    guard path != other else { return }
    let moved = tree.entries.filter { $0.key == path || $0.key.hasPrefix(path + "/") }
    for (name, entry) in moved {
      tree.entries[name] = nil
      tree.entries[other + name.dropFirst(path.count)] = entry
    }
  }

  private mutating func change(_ path: String, _ body: (inout [UInt8]) -> Void) {
    guard case .file(var bytes, let mode)? = tree.entries[path] else { return }
    body(&bytes)
    tree.entries[path] = .file(bytes, mode: mode)
  }

  private static func resized(_ bytes: [UInt8], to size: Int) -> [UInt8] {
    Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
  }
}
