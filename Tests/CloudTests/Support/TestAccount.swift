import Cloud
import Glibc
import Platform

/// One account of either store, edited as another device would.
struct TestAccount: Sendable {
  enum Kind: CaseIterable, Sendable { case memory, directory }

  let store: any CloudStore
  private let memory: MemoryStore?
  private let folder: TemporaryFolder?

  init(_ kind: Kind, pageSize: Int = 1000, historyLimit: Int = 10_000) throws {
    switch kind {
    case .memory:
      let memory = MemoryStore(pageSize: pageSize, historyLimit: historyLimit)
      (store, self.memory, folder) = (memory, memory, nil)
    case .directory:
      let folder = try TemporaryFolder()
      try folder.makeFolder("cloud")
      store = try DirectoryStore(
        folder.at("cloud"), index: folder.at("index"), pageSize: pageSize,
        historyLimit: historyLimit)
      (memory, self.folder) = (nil, folder)
    }
  }

  func write(_ text: String, to name: String) throws {
    try memory?.put(text, at: name)
    try folder?.write(text, to: "cloud/\(name)")
  }

  func makeFolder(_ name: String) throws {
    try memory?.makeFolder(at: name)
    try folder?.makeFolder("cloud/\(name)")
  }

  func rename(_ old: String, to new: String) throws {
    try memory?.rename(old, to: new)
    try folder?.rename("cloud/\(old)", to: "cloud/\(new)")
  }

  func replace(_ name: String, with text: String) throws {
    try memory?.replace(at: name, with: Array(text.utf8))
    try folder?.replace("cloud/\(name)", with: text)
  }

  func symlink(_ name: String, to target: String) throws {
    try memory?.makeSymlink(at: name, target: target)
    try folder?.symlink("cloud/\(name)", to: target)
  }

  func chmod(_ name: String, _ mode: UInt16) throws {
    try memory?.change(at: name, permissions: mode)
    try folder?.chmod("cloud/\(name)", mode_t(mode))
  }

  func remove(_ name: String) throws {
    try memory?.delete(at: name)
    folder?.removeTree("cloud/\(name)")
  }

  /// What lies in the staging folder.
  func staged() throws -> [String] { try folder?.names("index/staging") ?? [] }
}
