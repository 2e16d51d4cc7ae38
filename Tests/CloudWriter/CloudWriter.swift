import Cloud
import Glibc
import Platform

/// Makes one write to a cloud's folder, and ends as if killed when the write reaches a step.
///
/// Arguments: the folder, the index, the operation, the step (with a digit: which time), and `disturbed`
/// when it shall replace the file `a` itself, by hand, right before the store renames. It ends with status
/// 9 at the step, 0 when the write never reached it, and 1 when it failed.
@main
struct CloudWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 6 else { exit(2) }
    let (folder, step) = (arguments[1], arguments[4])
    let reached = Locked<[WritingStep: Int]>([:])
    do {
      let store = try DirectoryStore(
        folder, index: arguments[2],
        hook: WritingHook { now in
          let count = reached.withLock { reached in
            reached[now, default: 0] += 1
            return reached[now, default: 0]
          }
          if step == (count == 1 ? now.rawValue : "\(now.rawValue)\(count)") { _exit(9) }
          if now == .renaming, arguments[5] == "disturbed" { disturb(folder) }
          return nil
        })
      try await write(arguments[3], to: store)
      store.close()
    } catch {
      print(error)
      exit(1)
    }
  }

  private static func disturb(_ folder: String) {
    let made = folder + "/.other"
    let file = open(made, O_WRONLY | O_CREAT, 0o644)
    Glibc.write(file, "X", 1)
    close(file)
    rename(made, folder + "/a")
  }

  private static func write(_ operation: String, to store: DirectoryStore) async throws {
    let items = try await store.enumerate(.root, page: nil, cause: .housekeeping).items
    func item(_ name: String) throws(CloudError) -> Item {
      guard let item = items.first(where: { $0.name?.text == name }) else {
        throw CloudError(.notFound, "There is no \(name).")
      }
      return item
    }
    func name(_ text: String) throws(CloudError) -> FileName {
      guard let name = FileName(text) else { throw CloudError(.failed, "No name.") }
      return name
    }
    switch operation {
    case "create":
      let template = ItemTemplate(parent: .root, name: try name("n"), kind: .file, modified: .now)
      _ = try await store.create(template, content: Text("new"), cause: .housekeeping)
    case "replace":
      let item = try item("a")
      _ = try await store.modify(
        item.identifier, base: item.version, changes: ItemChanges(), content: Text("new"),
        cause: .housekeeping)
    case "move", "moveOver":
      let item = try item("a")
      _ = try await store.move(
        item.identifier, to: .root, name: try name(operation == "move" ? "n" : "b"),
        base: item.version, replacing: operation == "moveOver", cause: .housekeeping)
    case "delete", "deleteFolder":
      let item = try item(operation == "delete" ? "a" : "f")
      try await store.delete(
        item.identifier, base: item.version, recursively: true, cause: .housekeeping)
    default: exit(2)
    }
  }
}

private struct Text: ContentSource {
  let bytes: [UInt8]
  init(_ text: String) { bytes = Array(text.utf8) }

  var size: Int64 { Int64(bytes.count) }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    bytes[Int(offset)...].prefix(count)
  }
}
