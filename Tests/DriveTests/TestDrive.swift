import Catalog
import Cloud
import Foundation
import Ledger
import Platform
import Profiles
import Simulation
import Testing

@testable import Drive

/// A drive over a cloud in memory, on a manual clock, with gates: everything but a kernel.
final class TestDrive: Sendable {
  let store: MemoryStore
  let clock = ManualClock()
  let conditions = Conditions()
  let gates: Gates
  let ledger: Recorder
  let caches = RecordedCaches()
  let drive: Drive
  let catalog: Catalog
  /// What was done since the catalog was damaged.
  let rebuild: CatalogRebuild?
  let folder: String
  private let ownsFolder: Bool
  static let workers = WorkerPool(threads: 2, name: "test")
  static let caller = Caller(thread: getpid(), user: getuid(), group: getgid())

  init(
    _ profile: String, store: MemoryStore = MemoryStore(pieceSize: 4096), folder: String? = nil,
    cloud wrap: (any CloudStore) -> any CloudStore = { $0 }, files: LocalFiles = .real,
    fileSystem: String? = nil,
    change: (inout DriveSettings) -> Void = { _ in }
  ) throws {
    self.store = store
    ownsFolder = folder == nil
    self.folder = folder ?? NSTemporaryDirectory() + "drive-test-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: self.folder, withIntermediateDirectories: true)
    let clock = clock
    ledger = try Recorder(clock: clock, wallClock: { 0 })
    gates = Gates(clock: clock)
    (catalog, rebuild) = try DeviceFolder.open(self.folder, fileSystem: fileSystem)
    let profile = try ProfileUnderTest.profile(named: profile)
    var settings = DriveSettings(
      device: "test", representation: profile.representation, account: profile.account,
      profileName: profile.name, user: getuid(), group: getgid())
    settings.account.uploadDelay = .zero
    change(&settings)
    let catalog = catalog
    let cloud = SimulatedCloud(
      wrap(store), clock: clock, conditions: conditions, gates: gates,
      describe: { item in
        ((try? catalog.inode(of: item)) ?? nil).flatMap { (try? catalog.path(of: $0)) ?? nil } ?? ""
      })
    drive = try Drive(
      settings: settings, catalog: catalog, contentFolder: DeviceFolder.content(in: self.folder),
      cloud: cloud,
      clock: clock, ledger: ledger, programs: Programs(), workers: Self.workers,
      checkpoints: SimulatedCheckpoints(gates: gates), rebuild: rebuild, files: files)
    drive.attach(caches)
  }

  deinit {
    drive.stop()
    catalog.close()
    if ownsFolder { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// Ends this drive and starts another one on the same device folder and cloud.
  func restarted(_ profile: String) throws -> TestDrive {
    drive.stop()
    catalog.close()
    return try TestDrive(profile, store: store, folder: folder)
  }

  /// Walks a path as the kernel does, listing folders on the way.
  func node(_ path: String) async throws -> NodeID {
    var node = NodeID.root
    for name in path.split(separator: "/") { node = try await found(String(name), in: node).node }
    return node
  }

  func found(_ name: String, in parent: NodeID) async throws -> Found {
    let outcome = drive.lookup(Array(name.utf8).span, in: parent, Self.caller)
    guard case .found(let found) = try await outcome.value() else { throw Errno.noSuchFile }
    return found
  }

  func stat(_ node: NodeID) -> Outcome<ItemAttributes> { drive.attributes(of: node, Self.caller) }

  func open(_ node: NodeID) -> Outcome<OpenedItem> { drive.open(node, flags: 0, Self.caller) }

  func read(_ range: ByteRange, _ item: OpenedItem, _ node: NodeID) -> Outcome<ReadSource> {
    drive.read(range, of: item.handle, node, Self.caller)
  }

  /// Opens, reads everything, and closes.
  func contents(_ node: NodeID) async throws -> [UInt8] {
    let item = try await open(node).value()
    defer { drive.close(item.handle) }
    return try await read(ByteRange(offset: 0, count: 1 << 30), item, node).value().bytes
  }

  func list(_ node: NodeID) async throws -> [String] {
    let item = try await drive.openFolder(node, Self.caller).value()
    defer { drive.close(item.handle) }
    var names: [String] = []
    let error = drive.list(node, after: 0, countingLookups: false) { name, _ in
      names.append(name.text)
      return true
    }
    if let error { throw error }
    return names.filter { $0 != "." && $0 != ".." }
  }

  func status(_ path: String) throws -> ItemState {
    try #require(drive.status(of: try drive.find(path)))
  }

  /// Holds transfers of a path at a point.
  func hold(_ path: String, at point: GatePoint) throws -> GateIdentifier {
    try gates.close(Gate(at: point, for: SubjectPattern(path)))
  }

  /// Suspends until a held transfer has ended.
  func settled(_ path: String) async throws {
    _ = try? await drive.download(try drive.find(path), caller: nil)
  }
}

extension Outcome {
  /// The result, awaited.
  func value() async throws(Errno) -> Value {
    switch self {
    case .ready(let value): return value
    case .failed(let error): throw error
    case .pending(let ticket): return try await ticket.value()
    }
  }

  var isPending: Bool { if case .pending = self { true } else { false } }

  var ready: Value? { if case .ready(let value) = self { value } else { nil } }

  var error: Errno? { if case .failed(let error) = self { error } else { nil } }
}

extension ReadSource {
  var bytes: [UInt8] {
    get throws {
      switch self {
      case .bytes(let bytes): return Array(bytes)
      case .file(let file, let range):
        return try [UInt8](unsafeUninitializedCapacity: Int(range.count)) { buffer, count in
          count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: range.offset)
        }
      }
    }
  }
}

extension TestDrive {
  /// How many files of content are on the device.
  var contentFiles: Int {
    let names = FileManager.default.enumerator(atPath: folder + "/content")?.allObjects ?? []
    return names.count { ($0 as? String)?.contains(".") == true }
  }
}

/// Notes what the kernel is told.
final class RecordedCaches: KernelCaches {
  let told = Locked<[String]>([])

  func invalidate(_ node: NodeID) { told.withLock { $0.append("invalidate \(node)") } }
  func invalidateAttributes(_ node: NodeID) {
    told.withLock { $0.append("invalidate attributes of \(node)") }
  }
  func expire(_ name: FileName, in folder: NodeID) {
    told.withLock { $0.append("expire \(name) in \(folder)") }
  }
  func remove(_ name: FileName, in folder: NodeID) {
    told.withLock { $0.append("remove \(name) in \(folder)") }
  }
  func afterDelivery(_ done: @escaping @Sendable () -> Void) { done() }
}

/// Bytes that differ everywhere, so that a shifted or mixed copy is noticed.
func pattern(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    while initialized < count {
      let place = initialized
      buffer[place] = UInt8(truncatingIfNeeded: place &* 31 &+ place >> 8 &+ Int(seed))
      initialized += 1
    }
  }
}

/// Many bytes, quickly made: each block of 4,096 is of its own number.
func blocks(_ count: Int) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count)
  while bytes.count < count {
    let number = UInt8(truncatingIfNeeded: bytes.count >> 12 &* 7 &+ bytes.count >> 20)
    bytes += [UInt8](repeating: number, count: min(4096, count - bytes.count))
  }
  return bytes
}

extension Recorder {
  /// The transfers so far, in the order in which they began.
  var transfers: [Record] { records(matching: Query(kind: .transfer)) }

  func record(_ id: UInt64) -> Record? { records().first { $0.id == id } }

  /// Suspends until there is a record of the kind with the answer.
  func settled(kind: RecordKind, answer: String) async throws {
    _ = try #require(await firstRecord(matching: Query(kind: kind, answer: answer)))
  }
}
