import Cloud
import Glibc
import Platform

@testable import Drive

/// What a program does, by path.
extension TestDrive {
  private func split(_ path: String) async throws -> (NodeID, [UInt8]) {
    let parts = path.split(separator: "/").map(String.init)
    let folder = try await node(parts.dropLast().joined(separator: "/"))
    // As through the kernel, whose look-up of the name has the folder listed first.
    _ = try await list(folder)
    return (folder, Array((parts.last ?? "").utf8))
  }

  func create(_ path: String, permissions: UInt16 = 0o644) async throws -> (NodeID, OpenedItem) {
    let (folder, name) = try await split(path)
    let made = try await drive.create(
      name.span, in: folder, permissions: permissions, Self.caller
    ).value()
    return (made.found.node, made.opened)
  }

  func openToWrite(_ path: String, flags: Int32 = O_RDWR) async throws -> (NodeID, OpenedItem) {
    let node = try await node(path)
    return (node, try await drive.open(node, flags: flags, Self.caller).value())
  }

  func write(
    _ bytes: [UInt8], at offset: Int64 = 0, _ item: OpenedItem
  ) async throws {
    let count = try await drive.write(
      bytes.span.bytes, at: offset, of: item.handle, Self.caller
    ).value()
    guard count == bytes.count else { throw Errno.io }
  }

  func close(_ item: OpenedItem) throws {
    if let error = drive.flush(item.handle) { throw error }
    drive.close(item.handle)
  }

  /// Writes a whole document, making it if need be, as `>` does.
  func put(_ bytes: [UInt8], _ path: String) async throws {
    let item: OpenedItem
    do {
      (_, item) = try await openToWrite(path, flags: O_WRONLY | O_TRUNC)
    } catch let error as Errno where error == .noSuchFile {
      (_, item) = try await create(path)
    }
    try await write(bytes, item)
    try close(item)
  }

  func makeFolder(_ path: String) async throws {
    let (folder, name) = try await split(path)
    _ = try await drive.makeFolder(name.span, in: folder, permissions: 0o755, Self.caller).value()
  }

  func remove(_ path: String, asFolder: Bool = false) async throws {
    let (folder, name) = try await split(path)
    try await drive.remove(name.span, in: folder, asFolder: asFolder, Self.caller).value()
  }

  func rename(_ path: String, to other: String, flags: UInt32 = 0) async throws {
    let (folder, name) = try await split(path)
    let (newFolder, newName) = try await split(other)
    try await drive.rename(
      name.span, in: folder, to: newName.span, in: newFolder, flags: flags, Self.caller
    ).value()
  }

  func read(_ path: String) async throws -> [UInt8] { try await contents(try await node(path)) }
}

extension MemoryStore {
  /// Everything in the cloud, by path; folders end with a slash and hold nothing.
  func tree() throws -> [String: [UInt8]] {
    var tree: [String: [UInt8]] = [:]
    for path in paths where path != "/" {
      let item = try item(at: path)
      let name = String(path.dropFirst())
      if item.kind == .folder { tree[name + "/"] = [] } else { tree[name] = try content(at: path) }
    }
    return tree
  }
}
