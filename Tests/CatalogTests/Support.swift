import Catalog
import Cloud
import Foundation
import Platform
import Testing

/// A directory of its own for a test, which goes away with the value.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "catalog-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: URL { URL(filePath: path + "/catalog.sqlite") }

  func open(boot: String = "boot-1") throws -> Catalog {
    try Catalog(directory: path, bootIdentifier: boot)
  }
}

func name(_ text: String) throws -> FileName { try #require(FileName(text)) }

func item(
  _ identifier: String, in parent: String = "root", named: String? = nil, kind: ItemKind = .file,
  size: Int64 = 0, content: String = "1", metadata: String = "1", permissions: UInt16? = nil,
  modified: Timestamp = Timestamp(seconds: 1000, nanoseconds: 5), target: [UInt8]? = nil
) throws -> Item {
  Item(
    identifier: ItemIdentifier(rawValue: identifier), parent: ItemIdentifier(rawValue: parent),
    name: try name(named ?? identifier), kind: kind, size: size, modified: modified,
    created: Timestamp(seconds: 500), permissions: permissions,
    version: ItemVersion(content: content, metadata: metadata), target: target)
}

func folder(_ identifier: String, in parent: String = "root", named: String? = nil) throws -> Item {
  try item(identifier, in: parent, named: named, kind: .folder)
}

extension Catalog {
  func inode(_ item: String) throws -> InodeNumber {
    try #require(try inode(of: ItemIdentifier(rawValue: item)), "\(item) is not known")
  }

  func known(_ item: String) throws -> Entry {
    try #require(try entry(of: try inode(item)))
  }

  func entry(at path: String) throws -> Entry? {
    try resolve(path.split(separator: "/").map { try name(String($0)) })
  }

  func names(in folder: InodeNumber) throws -> [String] {
    try children(of: folder).map(\.name.text)
  }

  func apply(_ changes: Change...) throws -> [CatalogChange] {
    try apply(changes, anchor: SyncAnchor(rawValue: "test"))
  }
}

extension CatalogChange {
  /// The change in a few words, so that a test can compare a list of them.
  var summary: String {
    switch self {
    case .added(_, _, let name): "added \(name)"
    case .contentChanged(_, _, let name): "content \(name)"
    case .metadataChanged(_, _, let name): "metadata \(name)"
    case .moved(_, let old, _, let new): "moved \(old) \(new)"
    case .removed(_, let name): "removed \(name)"
    }
  }
}
