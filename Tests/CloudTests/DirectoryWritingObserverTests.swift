import Cloud
import Glibc
import Platform
import Testing

/// What a program sees that looks at the cloud's folder as often as it can while a store writes to it.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct DirectoryWritingObserverTests {
  private static let size = 300_000

  @Test("A watcher sees whole versions only, always a file under the name, and no temporary name")
  func replacing() async throws {
    let directory = try TestDirectory()
    let store = directory.store
    var item = try await store.create(
      template("a"), content: ArraySource(Self.text(0)), cause: .housekeeping)
    let observer = Observer(directory.cloud, names: ["a"]) { look in
      guard let content = look.read("a") else { return look.complain("a is missing") }
      guard content.count == Self.size, Set(content).count == 1 else {
        return look.complain("a has \(content.count) bytes of \(Set(content).count) versions")
      }
    }
    for number in 1...60 {
      item = try await store.modify(
        item.identifier, base: item.version, changes: ItemChanges(),
        content: ArraySource(Self.text(number)), cause: .housekeeping)
      observer.awaitLook()
    }
    #expect(observer.finish() == [])
    #expect(try await store.text(of: item) == Self.text(60))
  }

  @Test("A watcher sees a new file as a whole, and an item never under two names")
  func creatingAndMoving() async throws {
    let directory = try TestDirectory()
    let store = directory.store
    let names = (0...20).map { "n\($0)" }
    let observer = Observer(directory.cloud, names: Set(names + ["taken"])) { look in
      for name in names.reversed() + ["taken"] {
        guard let content = look.read(name) else { continue }
        guard content.count == Self.size, Set(content).count == 1 else {
          return look.complain("\(name) has \(content.count) bytes")
        }
      }
    }
    for round in 0..<4 {
      var item = try await store.create(
        template("n0"), content: ArraySource(Self.text(round)), cause: .housekeeping)
      for name in names.dropFirst() {
        item = try await store.move(
          item.identifier, to: .root, name: #require(FileName(name)), base: item.version,
          replacing: false, cause: .housekeeping)
      }
      observer.awaitLook()
      item = try await store.move(
        item.identifier, to: .root, name: #require(FileName("taken")), base: item.version,
        replacing: true, cause: .housekeeping)
      observer.awaitLook()
    }
    let taken = try await store.find("taken")
    try await store.delete(
      taken.identifier, base: taken.version, recursively: false, cause: .housekeeping)
    #expect(observer.finish() == [])
  }

  @Test("A watcher sees a file that replaces another by a move under that name without a gap")
  func movingOver() async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    _ = try await store.create(
      template("b"), content: ArraySource(Self.text(0)), cause: .housekeeping)
    let observer = Observer(cloud, names: ["a", "b"]) { look in
      guard look.read("b")?.count == Self.size else { return look.complain("b is not there") }
    }
    for number in 1...20 {
      let a = try await store.create(
        template("a"), content: ArraySource(Self.text(number)), cause: .housekeeping)
      _ = try await store.move(
        a.identifier, to: .root, name: #require(FileName("b")), base: a.version, replacing: true,
        cause: .housekeeping)
      observer.awaitLook()
    }
    #expect(observer.finish() == [])
  }

  private func template(_ name: String) throws -> ItemTemplate {
    ItemTemplate(parent: .root, name: try #require(FileName(name)), kind: .file, modified: .now)
  }

  /// A version: one letter, many times.
  private static func text(_ number: Int) -> String {
    String(repeating: Character(UnicodeScalar(UInt8(65 + number % 26))), count: size)
  }
}

/// A thread that looks at a folder again and again.
private final class Observer: Sendable {
  /// One look.
  struct Look {
    let folder: TemporaryFolder
    let complain: (String) -> Void

    /// The content of a file, read in small pieces; nil when there is no such name.
    func read(_ name: String) -> [UInt8]? {
      let file = open(folder.at(name), O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var status = stat()
      fstat(file, &status)
      if status.st_nlink > 1 { complain("\(name) has \(status.st_nlink) names") }
      var content: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 50_000)
      while case let count = Glibc.read(file, &piece, piece.count), count > 0 {
        content += piece[..<count]
      }
      return content
    }
  }

  private struct State: Sendable {
    var complaints: [String] = []
    var looks = 0
    var isEnding = false
  }

  private let state = Locked(State())
  private let looked = Semaphore()
  private let ended = Semaphore()

  init(
    _ folder: TemporaryFolder, names: Set<String>, _ body: @escaping @Sendable (Look) -> Void
  ) {
    Threads.detach(named: "observer") { [self] in
      while !state.withLock({ $0.isEnding }) {
        let look = Look(folder: folder) { [self] text in
          state.withLock { $0.complaints.append(text) }
        }
        do {
          let others = Set(try folder.names(".")).subtracting(names)
          if !others.isEmpty { look.complain("there is \(others)") }
        } catch { look.complain("\(error)") }
        body(look)
        state.withLock { $0.looks += 1 }
        looked.signal()
      }
      ended.signal()
    }
  }

  /// Waits until it has looked once more, so that a fast writer does not outrun it.
  func awaitLook() { looked.wait() }

  /// Ends the thread; what it found wrong, at most a few lines.
  func finish() -> [String] {
    state.withLock { $0.isEnding = true }
    ended.wait()
    return Array(state.withLock { $0.complaints }.prefix(5))
  }
}
