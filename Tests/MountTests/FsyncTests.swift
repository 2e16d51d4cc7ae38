import Foundation
import MountKit
import Testing

/// What the drive's process has done when a call that makes something durable returns.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"),
  .enabled(if: CallTrace.isPossible, "strace cannot be run"))
struct FsyncTests {
  private static let fsync: UInt32 = 20
  private static let fsyncdir: UInt32 = 30
  private static let syncfs: UInt32 = 50

  /// Each makes `$0` durable.
  static let documents = [
    "by its writer": "printf x | dd of=\"$0\" conv=fsync status=none",
    "its data, by its writer": "printf x | dd of=\"$0\" conv=fdatasync status=none",
    "at each write": "printf x | dd of=\"$0\" oflag=dsync status=none",
    "by a reader afterwards": "printf x >\"$0\"; sync \"$0\"",
    "its data, by a reader": "printf x >\"$0\"; sync -d \"$0\"",
    "after a save": "printf x >\"$0.tmp\"; sync \"$0.tmp\"; mv \"$0.tmp\" \"$0\"",
    "with nothing in it": ": >\"$0\"; sync \"$0\"",
  ]

  /// semantics: "When fsync(2) or fdatasync(2) of a document returns, whoever has written it, or a write(2) with `O_SYNC` or `O_DSYNC`, its content and its name have been written to the disk: they survive a power cut."
  /// semantics: "When fsync(2) of a folder returns, the names in it have been written to the disk."
  /// semantics: "sync(2) and syncfs(2) do not reach a drive, since the kernel does not tell it of them: what has to survive a power cut needs fsync(2)."
  @Test(.timeLimit(.minutes(15)))
  func `what is told to be durable is on the disk`() throws {
    let drive = try MountedDrive("icloud", options: ["--clock", "manual"])
    let trace = try CallTrace(
      drive.process, calls: ["read", "writev", "fsync", "fdatasync"],
      file: drive.folder + "/trace")
    for (name, script) in Self.documents { try run(script, on: name, drive) }
    try run("mkdir \"$0\"; sync \"$0\"", on: "a folder", drive)
    try run("printf x >\"$0\"; sync -f \"$0\"", on: "all", drive)
    let calls = try trace.finish()
    for (name, script) in Self.documents {
      let requests = calls.requests(Self.fsync, of: try node(of: name, drive))
      #expect(!requests.isEmpty, "\(name): nobody asked for it")
      for request in requests {
        let isEmpty = script.hasPrefix(":")
        let done = isEmpty || calls.isDone(on: "/content/", "/\(request.node).", during: request)
        #expect(done, "\(name): its content")
        #expect(calls.isDone(on: "/catalog.sqlite-wal", during: request), "\(name): its name")
      }
    }
    let folder = calls.requests(Self.fsyncdir, of: try node(of: "a folder", drive))
    #expect(folder.count == 1)
    #expect(folder.allSatisfy { calls.isDone(on: "/catalog.sqlite-wal", during: $0) })
    let all = try node(of: "all", drive)
    #expect(calls.requests(Self.fsync, of: all).isEmpty)
    #expect(calls.requests(Self.syncfs, of: nil).isEmpty)
  }

  private func run(_ script: String, on name: String, _ drive: MountedDrive) throws {
    let ended = try drive.run("sh", "-ec", script, drive.at(name))
    #expect(ended.status == 0, "\(name): \(ended)")
  }

  private func node(of name: String, _ drive: MountedDrive) throws -> UInt64 {
    let told = try drive.run("stat", "-c", "%i", drive.at(name)).output
    return try #require(UInt64(told.trimmingCharacters(in: .newlines)))
  }
}

/// A request of the kernel: when it was read, and when its reply began to be written.
private struct Request {
  let node: UInt64
  let read: Int
  let reply: Int
}

extension [CallTrace.Call] {
  fileprivate func requests(_ operation: UInt32, of node: UInt64?) -> [Request] {
    filter { $0.name == "read" && $0.text.contains("</dev/fuse>") }.compactMap { call in
      let bytes = call.bytes
      guard bytes.count >= 24, bytes.number(4, 4) == UInt64(operation) else { return nil }
      guard node == nil || bytes.number(16, 8) == node else { return nil }
      let reply = first {
        $0.name == "writev" && $0.text.contains("</dev/fuse>") && $0.start > call.end
          && $0.bytes.count >= 16 && $0.bytes.number(8, 8) == bytes.number(8, 8)
      }
      return Request(node: bytes.number(16, 8), read: call.end, reply: reply?.start ?? -1)
    }
  }

  /// Whether a file was made durable after the request came and before the reply was given.
  fileprivate func isDone(on path: String..., during request: Request) -> Bool {
    contains { call in
      (call.name == "fsync" || call.name == "fdatasync") && call.text.hasSuffix("= 0")
        && path.allSatisfy { call.text.contains($0) } && call.start > request.read
        && call.end < request.reply
    }
  }
}

extension [UInt8] {
  fileprivate func number(_ offset: Int, _ count: Int) -> UInt64 {
    self[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
