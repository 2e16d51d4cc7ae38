import Cloud
import Foundation
import Glibc
import Platform
import Simulation
import Testing

@testable import Drive

/// Random work on a drive, against a model of what it must show: local changes, evictions, restarts, a
/// network that goes and comes, and another device. A seed repeats a run.
@Suite(.timeLimit(.minutes(30))) struct DriveModelTests {
  /// More with `FAUXDRIVE_MODEL_SEEDS=FIRST-LAST`.
  static let seeds: ClosedRange<UInt64> = {
    let words = (ProcessInfo.processInfo.environment["FAUXDRIVE_MODEL_SEEDS"] ?? "").split(
      separator: "-")
    guard words.count == 2, let first = UInt64(words[0]), let last = UInt64(words[1]), first <= last
    else { return 1...3 }
    return first...last
  }()

  /// semantics: "Whatever programs, the network, evictions, restarts and another device do in whatever order, a drive shows what was written last under each name, and in the end the cloud has the same."
  @Test(arguments: ["local", "icloud", "synology", "onedrive"], seeds)
  func aDriveShowsWhatWasWrittenLast(profile: String, seed: UInt64) async throws {
    let run = try ModelRun(profile, seed)
    for _ in 0..<120 { try await run.step() }
    try await run.finish()
  }
}

/// One run.
private final class ModelRun {
  private let profile: String
  private let random: KeyedRandom
  private var draws: UInt64 = 0
  private var test: TestDrive
  /// The one that owns the device's folder, which goes with it.
  private let first: TestDrive
  private var model = DriveModel()
  private var isOnline = true
  /// What was done, for whoever must find out why it went wrong.
  private var log: [String] = []

  init(_ profile: String, _ seed: UInt64) throws {
    self.profile = profile
    random = KeyedRandom(seed: seed)
    first = try TestDrive(profile)
    test = first
  }

  // MARK: Drawing

  private func draw(_ bound: Int) -> Int {
    draws += 1
    return Int(random.draw(below: UInt64(bound), "model", "", occurrence: draws))
  }

  private func draw<Element>(from list: [Element]) -> Element? {
    list.isEmpty ? nil : list[draw(list.count)]
  }

  private func bytes() -> [UInt8] {
    pattern(draw(4) == 0 ? 0 : draw(20_000), seed: UInt8(draw(256)))
  }

  /// A path in a folder that is there, whose last name may be.
  private func path() -> String {
    let shallow = model.folders.filter { $0.split(separator: "/").count < 3 }
    let folder = draw(from: shallow) ?? ""
    return (folder.isEmpty ? "" : folder + "/") + "abcdef".map(String.init)[draw(6)]
  }

  // MARK: Steps

  func step() async throws {
    switch draw(20) {
    case 0...3: try await put()
    case 4...5: try await writePart()
    case 6: try await setSize()
    case 7...9: try await rename()
    case 10: try await exchange()
    case 11: try await makeFolder()
    case 12: try await remove(asFolder: false)
    case 13: try await remove(asFolder: true)
    case 14...15: try await evict()
    case 16: try restart()
    case 17: setOnline(!isOnline)
    case 18: try await settle()
    default: try await editElsewhere()
    }
    try compareNames()
    if let file = draw(from: model.files), draw(4) == 0 { try await compareContent(file) }
  }

  func finish() async throws {
    note("finish")
    try await settle()
    for file in model.files { try await compareContent(file) }
    try restart()
    try compareNames()
    try await settle()
    for file in model.files { try await compareContent(file) }
  }

  private func note(_ text: String) { log.append(text) }

  /// Does what may fail as the model says, or for want of the network; then nothing has changed.
  ///
  /// - Returns: whether it was done.
  private func attempt(
    _ text: String, expecting refusal: Errno?, _ body: () async throws -> Void
  ) async throws -> Bool {
    do {
      try await body()
    } catch let error as Errno {
      note("\(text): \(error.name)")
      let mayMiss = !isOnline && [.timedOut, .noSuchFile, .io].contains(error)
      if error != refusal, !mayMiss {
        throw complaint(
          "\(text) was refused: \(error), expected \(refusal.map { "\($0)" } ?? "none")")
      }
      return false
    }
    note(text)
    if let refusal { throw complaint("\(text) must be refused: \(refusal)") }
    return true
  }

  private func put() async throws {
    let (path, bytes) = (path(), bytes())
    let refusal: Errno? = model.nodes[path]?.isFolder == true ? .isDirectory : nil
    if try await attempt(
      "put \(bytes.count) \(path)", expecting: refusal,
      {
        try await test.put(bytes, path)
      })
    {
      model.put(bytes, path)
    }
  }

  private func writePart() async throws {
    guard let path = draw(from: model.files), let old = model.content(path) else { return }
    let (offset, bytes) = (draw(old.count + 2000), bytes())
    guard !bytes.isEmpty else { return }
    if try await attempt(
      "write \(bytes.count)@\(offset) \(path)", expecting: nil,
      {
        let (_, item) = try await test.openToWrite(path)
        defer { try? test.close(item) }
        try await test.write(bytes, at: Int64(offset), item)
      })
    {
      model.write(bytes, at: offset, path)
    }
  }

  private func setSize() async throws {
    guard let path = draw(from: model.files) else { return }
    var request = AttributeRequest()
    let size = draw(20_000)
    request.size = Int64(size)
    if try await attempt(
      "truncate \(size) \(path)", expecting: nil,
      {
        let node = try await test.node(path)
        _ = try await test.drive.setAttributes(of: node, request, TestDrive.caller).value()
      })
    {
      model.setSize(size, path)
    }
  }

  private func rename() async throws {
    guard let path = draw(from: model.nodes.keys.sorted()) else { return }
    let other = self.path()
    // The kernel refuses these before anybody is asked.
    guard !other.hasPrefix(path + "/"), !path.hasPrefix(other + "/") else { return }
    let refusal = model.refusalToRename(path, to: other)
    if try await attempt(
      "rename \(path) \(other)", expecting: refusal,
      {
        try await test.rename(path, to: other)
      })
    {
      model.rename(path, to: other)
    }
  }

  private func exchange() async throws {
    let all = model.nodes.keys.sorted()
    guard let path = draw(from: all), let other = draw(from: all), path != other,
      !other.hasPrefix(path + "/"), !path.hasPrefix(other + "/")
    else { return }
    if try await attempt(
      "exchange \(path) \(other)", expecting: nil,
      {
        try await test.rename(path, to: other, flags: 2)
      })
    {
      model.exchange(path, other)
    }
  }

  private func makeFolder() async throws {
    let path = path()
    let refusal: Errno? = model.nodes[path] == nil ? nil : .exists
    if try await attempt("mkdir \(path)", expecting: refusal, { try await test.makeFolder(path) }) {
      model.makeFolder(path)
    }
  }

  private func remove(asFolder: Bool) async throws {
    let all = asFolder ? model.folders.filter { !$0.isEmpty } : model.files
    guard let path = draw(from: all) else { return }
    let refusal = model.refusalToRemove(path, asFolder: asFolder)
    if try await attempt(
      "remove \(path)", expecting: refusal,
      {
        try await test.remove(path, asFolder: asFolder)
      })
    {
      model.remove(path)
    }
  }

  private func evict() async throws {
    guard let path = draw(from: model.files) else { return }
    do throws(DriveError) {
      try await test.drive.evict(try test.drive.find("/" + path), caller: nil)
      note("evict \(path)")
    } catch {
      let isUnlisted = error.code == .notFound && !isListed(path)
      guard [.isPending, .neverEvicts, .notHere].contains(error.code) || isUnlisted else {
        throw complaint("evict \(path): \(error)")
      }
    }
  }

  /// Whether the device knows what the folder of a path holds.
  private func isListed(_ path: String) -> Bool {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let children = try? test.drive.children(of: try test.drive.find("/" + folder))
    return children.flatMap { $0 } != nil
  }

  private func restart() throws {
    note("restart")
    test = try test.restarted(profile)
    if !isOnline { test.conditions.goOffline() }
    test.drive.followChanges()
    test.drive.beginUploading()
  }

  private func setOnline(_ online: Bool) {
    note(online ? "online" : "offline")
    isOnline = online
    if online { test.conditions.goOnline() } else { test.conditions.goOffline() }
  }

  /// Everything that is pending reaches the cloud, which then is what the model is.
  private func settle() async throws {
    if !isOnline { setOnline(true) }
    note("settle")
    test.drive.retryUploads()
    try await test.settleUploads()
    let tree = try test.store.tree()
    guard tree == model.tree else {
      throw complaint("the cloud has \(Self.told(tree)), not \(Self.told(model.tree))")
    }
  }

  /// Another device changes something, after all is settled: whose change is the last is then clear.
  private func editElsewhere() async throws {
    try await settle()
    let files = model.files
    switch (draw(4), draw(from: files)) {
    case (0, let path?):
      note("elsewhere: delete \(path)")
      try test.store.delete(at: path)
      model.remove(path)
    case (1, let path?):
      let other = self.path()
      guard model.nodes[other] == nil else { return }
      note("elsewhere: rename \(path) \(other)")
      try test.store.rename(path, to: other)
      model.rename(path, to: other)
    default:
      let (path, bytes) = (path(), bytes())
      guard model.nodes[path]?.isFolder != true else { return }
      note("elsewhere: put \(bytes.count) \(path)")
      try test.store.put(bytes, at: path)
      model.put(bytes, path)
    }
    try await test.drive.synchronize()
  }

  // MARK: Comparing

  /// All names and kinds; and sizes, which the drive knows although content is not here.
  private func compareNames() throws {
    for folder in model.folders {
      let inode = try test.drive.find("/" + folder)
      guard let states = try test.drive.children(of: inode) else { continue }
      let shown = Dictionary(
        uniqueKeysWithValues: states.map { (DriveModel.name(of: $0.path), $0) })
      guard shown.keys.sorted() == model.children(of: folder) else {
        throw complaint(
          "'\(folder)' shows \(shown.keys.sorted()), not \(model.children(of: folder))")
      }
      for (name, state) in shown {
        let path = folder.isEmpty ? name : folder + "/" + name
        guard let bytes = model.content(path) else { continue }
        guard state.size == Int64(bytes.count) else {
          throw complaint("\(path) has \(state.size) bytes, not \(bytes.count)")
        }
      }
    }
  }

  private func compareContent(_ path: String) async throws {
    let shown: [UInt8]
    do {
      shown = try await test.read(path)
    } catch let error as Errno {
      guard isOnline else { return }
      throw complaint("\(path) cannot be read: \(error)")
    }
    guard shown == model.content(path) else {
      throw complaint("\(path) has another content")
    }
  }

  private static func told(_ tree: [String: [UInt8]]) -> String {
    tree.map { "\($0.key):\($0.value.count)#\($0.value.first ?? 0)" }.sorted()
      .joined(separator: " ")
  }

  private func complaint(_ text: String) -> ModelComplaint {
    ModelComplaint(description: "\(text)\n" + log.suffix(60).joined(separator: "\n"))
  }
}

private struct ModelComplaint: Error, CustomStringConvertible {
  let description: String
}
