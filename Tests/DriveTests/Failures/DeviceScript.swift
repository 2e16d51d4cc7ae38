import Catalog
import Cloud
import Glibc
import Ledger
import Platform
import Simulation
import Testing

@testable import Drive

/// All that programs and others do with a device, one after the other, and what must be there after each:
/// a call that says yes has done it, and one that says no has not.
final class DeviceScript {
  enum Thing: Hashable {
    case folder
    case file([UInt8])
  }

  let test: TestDrive
  private let cloud: CloudHands
  /// What the device must show, by path.
  private(set) var expected: [String: Thing] = [:]
  /// What must not fail in this trial, though it may end with an error of the cloud's.
  private let allowed: Set<Errno>
  private let comment: Comment
  /// Whether uploads are waited for: not while everything fails.
  private let settles: Bool
  private(set) var failures: [String] = []

  init(
    _ test: TestDrive, cloud: CloudHands? = nil, allowed: Set<Errno>, settles: Bool,
    _ comment: Comment
  ) {
    self.test = test
    self.cloud = cloud ?? CloudHands(test.store)
    self.allowed = allowed
    self.settles = settles
    self.comment = comment
  }

  /// The cloud before.
  static func cloud() throws -> MemoryStore {
    let store = MemoryStore(pieceSize: 4096)
    try fill(CloudHands(store))
    return store
  }

  static func fill(_ cloud: CloudHands) throws {
    for (path, size) in files { try cloud.put(pattern(size), path) }
  }
  private static let files = [
    ("keep", 1000), ("edit", 5000), ("gone", 10), ("moved", 20), ("dir/inner", 30), ("read", 9000),
    ("theirs", 40), ("saved", 600), ("over", 4000), ("one", 60), ("two", 70),
  ]

  func run() async {
    expected = ["dir": .folder]
    for (path, size) in Self.files { expected[path] = .file(pattern(size)) }
    await attempt("list") { _ = try await $0.list(.root) }
    await write(pattern(3000, seed: 1), at: 0, "new", isNew: true, syncs: true)
    await write(pattern(10, seed: 2), at: 100, "edit")
    await move("moved", to: "dir/moved")
    await make("made")
    await write(pattern(700, seed: 3), at: 0, "made/x", isNew: true)
    await changeAttributes("new")
    await save("saved", pattern(800, seed: 4))
    await remove("gone")
    await cut("new", to: 100)
    await write(pattern(90, seed: 8), at: 0, "over", flags: O_WRONLY | O_TRUNC)
    await allocate("edit", 6000)
    await exchange("one", "two")
    await readAndEvict("read")
    await upload()
    await hear()
    await write(pattern(50, seed: 5), at: 20, "new")
    await write(pattern(30, seed: 9), at: 0, "edit", flags: O_WRONLY | O_TRUNC)
    await cut("dir/moved", to: 0)
    await move("made/x", to: "x")
    await remove("made", asFolder: true)
    await upload()
  }

  // MARK: Steps

  private func write(
    _ bytes: [UInt8], at offset: Int, _ path: String, isNew: Bool = false, syncs: Bool = false,
    flags: Int32 = O_RDWR
  ) async {
    var handle: OpenedItem?
    guard hasFolder(path) else { return }
    await attempt("open \(path)") { test in
      if isNew {
        (_, handle) = try await test.create(path)
        self.expected[path] = .file([])
      } else if case .file? = self.expected[path] {
        (_, handle) = try await test.openToWrite(path, flags: flags)
        if flags & O_TRUNC != 0 { self.expected[path] = .file([]) }
      }
    }
    guard let handle else { return }
    await attempt("write \(path)") { test in
      var done = 0
      while done < bytes.count {
        let rest = Array(bytes[done...])
        let count = try await test.drive.write(
          rest.span.bytes, at: Int64(offset + done), of: handle.handle, TestDrive.caller
        ).value()
        #expect(count > 0, self.comment)
        self.put(Array(rest[..<count]), at: offset + done, path)
        done += count
      }
    }
    if syncs {
      await attempt("fsync \(path)") { try await $0.drive.synchronize(handle.handle).value() }
    }
    await attempt("close \(path)") { test in
      defer { test.drive.close(handle.handle) }
      if let error = test.drive.flush(handle.handle) { throw error }
    }
  }

  private func put(_ bytes: [UInt8], at offset: Int, _ path: String) {
    guard case .file(var content)? = expected[path] else { return }
    if content.count < offset + bytes.count {
      content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
    }
    content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    expected[path] = .file(content)
  }

  private func save(_ path: String, _ bytes: [UInt8]) async {
    await write(bytes, at: 0, path + ".tmp", isNew: true)
    await move(path + ".tmp", to: path)
  }

  private func move(_ path: String, to other: String) async {
    guard let thing = expected[path], hasFolder(other) else { return }
    await attempt("rename \(path)") { test in
      try await test.rename(path, to: other)
      self.expected[path] = nil
      self.expected[other] = thing
    }
  }

  private func exchange(_ path: String, _ other: String) async {
    guard let one = expected[path], let two = expected[other] else { return }
    await attempt("exchange \(path)") { test in
      try await test.rename(path, to: other, flags: RenameFlags.exchange)
      (self.expected[path], self.expected[other]) = (two, one)
    }
  }

  private func hasFolder(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.count < 2 || expected[String(parts[0])] == .folder
  }

  private func make(_ path: String) async {
    await attempt("mkdir \(path)") { test in
      try await test.makeFolder(path)
      self.expected[path] = .folder
    }
  }

  private func remove(_ path: String, asFolder: Bool = false) async {
    let isEmpty = !expected.keys.contains { $0.hasPrefix(path + "/") }
    guard expected[path] != nil, isEmpty else { return }
    await attempt("remove \(path)") { test in
      try await test.remove(path, asFolder: asFolder)
      self.expected[path] = nil
    }
  }

  private func changeAttributes(_ path: String) async {
    guard expected[path] != nil else { return }
    await attempt("chmod \(path)") { test in
      var request = AttributeRequest()
      request.permissions = 0o600
      let node = try await test.node(path)
      _ = try await test.drive.setAttributes(of: node, request, TestDrive.caller).value()
    }
    await attempt("setxattr \(path)") { test in
      let node = try await test.node(path)
      try await test.drive.setXattr("user.a", [1], .any, of: node, TestDrive.caller).value()
    }
  }

  private func cut(_ path: String, to size: Int) async {
    guard case .file(let content)? = expected[path] else { return }
    await attempt("truncate \(path)") { test in
      var request = AttributeRequest()
      request.size = Int64(size)
      let node = try await test.node(path)
      // What a failed close did not note is noted by the next one, so the length is that of the file.
      defer {
        if self.length(node) == size { self.setLength(path, content, size) }
      }
      _ = try await test.drive.setAttributes(of: node, request, TestDrive.caller).value()
    }
  }

  private func allocate(_ path: String, _ size: Int) async {
    guard case .file(let content)? = expected[path] else { return }
    await attempt("fallocate \(path)") { test in
      let (node, item) = try await test.openToWrite(path)
      defer {
        test.drive.close(item.handle)
        if self.length(node) == size { self.setLength(path, content, size) }
      }
      let range = ByteRange(offset: 0, count: Int64(size))
      try await test.drive.allocate(range, mode: 0, of: item.handle, TestDrive.caller).value()
    }
  }

  private func length(_ node: NodeID) -> Int? { test.drive.node(node).map { Int($0.entry.size) } }

  private func setLength(_ path: String, _ content: [UInt8], _ size: Int) {
    let zeros = [UInt8](repeating: 0, count: max(0, size - content.count))
    expected[path] = .file(content.prefix(size) + zeros)
  }

  private func readAndEvict(_ path: String) async {
    await attempt("read \(path)") { test in
      let bytes = try await test.read(path)
      #expect(.file(bytes) == self.expected[path], self.comment)
    }
    await attempt("evict \(path)") {
      try await $0.drive.evict($0.drive.find("/" + path), caller: nil)
    }
  }

  private func upload() async {
    guard settles else { return test.drive.retryUploads() }
    await attempt("upload") { try await $0.settleUploads() }
  }

  /// Another device changes things, and this one hears of it.
  private func hear() async {
    do {
      try cloud.put(pattern(45, seed: 6), "theirs")
      try cloud.put(pattern(55, seed: 7), "dir/theirs")
      try cloud.delete("dir/inner")
    } catch {
      Issue.record(error, comment)
    }
    expected["theirs"] = .file(pattern(45, seed: 6))
    expected["dir/theirs"] = .file(pattern(55, seed: 7))
    expected["dir/inner"] = nil
    await attempt("hear") { try await $0.drive.synchronize() }
  }

  private func attempt(_ name: String, _ body: (TestDrive) async throws -> Void) async {
    do {
      try await body(test)
    } catch let error as Errno {
      failures.append("\(name): \(error.name)")
      #expect(allowed.contains(error), "\(name) \(comment)")
    } catch let error as DriveError {
      failures.append("\(name): \(error)")
    } catch {
      Issue.record("\(name) \(comment): \(error)")
    }
  }

  // MARK: The end

  /// Everything works again: the device and the cloud have exactly what must be there.
  func check(_ test: TestDrive, _ comment: Comment) async throws {
    test.conditions.change { $0.isOnline = true }
    test.drive.retryUploads()
    try await test.settleUploads()
    try await test.drive.synchronize()
    try await test.settleUploads()
    let wrong = [differences(try await test.tree()), differences(try cloud.tree())]
    #expect(wrong == [[], []], "\(comment) \(failures) \(uploads(of: test))")
  }

  /// What was brought to the cloud, and how that ended, for whoever must find out what went wrong.
  private func uploads(of test: TestDrive) -> [String] {
    test.ledger.records(matching: Query(kind: .upload)).map {
      "\($0.callClass) \($0.path): \($0.answer ?? "not ended")"
    }
  }

  private func differences(_ found: [String: Thing]) -> [String] {
    Set(found.keys).union(expected.keys).sorted().compactMap { path in
      guard found[path] != expected[path] else { return nil }
      return "\(path): \(Self.text(found[path])) instead of \(Self.text(expected[path]))"
    }
  }

  private static func text(_ thing: Thing?) -> String {
    switch thing {
    case nil: "nothing"
    case .folder?: "a folder"
    case .file(let bytes)?: "\(bytes.count) bytes \(bytes.prefix(3))"
    }
  }
}

/// What renameat2(2) takes, which Glibc's module does not have.
private enum RenameFlags {
  static let exchange: UInt32 = 2
}

extension TestDrive {
  /// Everything that the device shows, read.
  func tree() async throws -> [String: DeviceScript.Thing] {
    var tree: [String: DeviceScript.Thing] = [:]
    var folders: [(String, NodeID)] = [("", .root)]
    while let (path, folder) = folders.popLast() {
      for name in try await list(folder) {
        let found = try await found(name, in: folder)
        let place = path + name
        if found.attributes.kind == .folder {
          tree[place] = .folder
          folders.append((place + "/", found.node))
        } else {
          tree[place] = .file(try await contents(found.node))
        }
      }
    }
    return tree
  }
}
