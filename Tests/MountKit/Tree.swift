import Foundation
import Glibc

/// What is in a folder: names, kinds, contents, targets of links, permission bits of files.
public struct Tree: Hashable, Sendable, CustomStringConvertible {
  /// One entry.
  public enum Entry: Hashable, Sendable {
    /// A folder.
    case folder
    /// A symbolic link.
    case link(String)
    /// A file.
    case file([UInt8], mode: UInt32 = 0o644)
  }

  /// The entries by their paths from the folder.
  public var entries: [String: Entry]

  /// Describes a folder.
  public init(_ entries: [String: Entry]) { self.entries = entries }

  /// Reads a folder, which must not be on a mount.
  public init(at folder: String) throws {
    entries = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      entries[path] = try Self.entry(at: folder + "/" + path)
    }
  }

  /// What is below a folder in it.
  public func below(_ folder: String) -> Tree {
    let prefix = folder + "/"
    let below = entries.filter { $0.key.hasPrefix(prefix) }
    return Tree(
      Dictionary(
        uniqueKeysWithValues: below.map { (String($0.key.dropFirst(prefix.count)), $0.value) }))
  }

  private static func entry(at path: String) throws -> Entry {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw TestFailure("\(path) went") }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFLNK: return .link(try FileManager.default.destinationOfSymbolicLink(atPath: path))
    default:
      let data = try Data(contentsOf: URL(filePath: path))
      return .file(Array(data), mode: status.st_mode & 0o7777)
    }
  }

  /// A line for each entry.
  public var description: String {
    entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.description)" }
      .joined(separator: "\n")
  }
}

extension Tree.Entry: CustomStringConvertible {
  /// Its kind and the beginning of its content.
  public var description: String {
    switch self {
    case .folder: "folder"
    case .link(let target): "link to \(target)"
    case .file(let bytes, let mode):
      "\(bytes.count) bytes \(Self.shown(bytes)), mode \(String(mode, radix: 8))"
    }
  }
}

extension Tree.Entry {
  private static func shown(_ bytes: [UInt8]) -> String {
    let head = bytes.prefix(12)
    let isText = head.allSatisfy { (32..<127).contains($0) || $0 == 10 }
    return isText
      ? "\"\(String(decoding: head, as: UTF8.self))\""
      : head.map { String($0, radix: 16) }.joined(separator: ".")
  }
}

extension Tree {
  /// What is different in another one, a line for each path.
  public func difference(from other: Tree) -> String {
    Set(entries.keys).union(other.entries.keys).sorted().compactMap { path in
      let (here, there) = (entries[path], other.entries[path])
      guard here != there else { return nil }
      var line = "\(path): \(here?.description ?? "nothing") / \(there?.description ?? "nothing")"
      if case .file(let some, _)? = here, case .file(let others, _)? = there {
        line += "; the same up to \(zip(some, others).prefix { $0 == $1 }.count)"
      }
      return line
    }.joined(separator: "\n")
  }
}

extension Tree.Entry: ExpressibleByStringLiteral {
  /// A file that holds a text.
  public init(stringLiteral text: String) { self = .file(Array(text.utf8)) }
}

extension MountedDrive {
  /// What programs see on the drive, or in a folder of it.
  public func tree(of folder: String = "") throws -> Tree {
    let copy = try Self.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let ended = try run("cp", "-a", at(folder) + "/.", copy)
    guard ended.status == 0 else { throw TestFailure("\(ended)") }
    return try Tree(at: copy)
  }

  /// What is in the cloud, or in a folder of it.
  public func cloudTree(of folder: String = "") throws -> Tree {
    try Tree(at: cloud + "/" + folder)
  }
}
