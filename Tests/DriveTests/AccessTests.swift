import Cloud
import Drive
import Foundation
import Ledger
import Platform
import Profiles
import Simulation
import Testing

/// Grants, extended attributes, the ledger, and forgetting.
struct AccessTests {
  @Test func `a scoped world refuses who has no grant, and shows the way to what is granted`()
    async throws
  {
    let test = try TestDrive("icloud", change: { $0.isScoped = true })
    try test.store.put(pattern(100), at: "f/a")
    try test.store.put(pattern(100), at: "f/b")
    let all = try test.drive.grants.add(process: getpid(), includingDescendants: false, .root)
    let (folder, a, b) = (
      try await test.node("f"), try await test.node("f/a"), try await test.node("f/b")
    )
    #expect(test.drive.grants.remove(all))

    #expect(test.stat(a).error == .notPermitted)
    #expect(test.open(a).error == .notPermitted)
    #expect(test.stat(.root).ready != nil)
    try test.drive.grants.add(process: getpid(), includingDescendants: false, a.inode)
    #expect(try #require(test.stat(a).ready).isCacheable == false)
    #expect(test.stat(folder).ready != nil)
    #expect(test.drive.openFolder(folder, TestDrive.caller).error == .notPermitted)
    #expect(test.stat(b).error == .notPermitted)
    #expect(try await test.contents(a) == pattern(100))
  }

  @Test func `a grant covers descendants of the process and ends with it`() async throws {
    let test = try TestDrive("icloud", change: { $0.isScoped = true })
    try test.store.put("x", at: "a")
    let grant = try test.drive.grants.add(process: getpid(), includingDescendants: true, .root)
    let node = try await test.node("a")
    let child = try Child("/bin/sleep", "1000")
    defer { child.end() }
    let asChild = Caller(thread: child.process, user: getuid(), group: getgid())
    #expect(test.drive.attributes(of: node, asChild).ready != nil)
    #expect(test.drive.grants.remove(grant))
    #expect(!test.drive.grants.remove(grant))
    #expect(test.drive.attributes(of: node, asChild).error == .notPermitted)
    let own = try test.drive.grants.add(process: getpid(), includingDescendants: false, .root)
    #expect(test.drive.attributes(of: node, asChild).error == .notPermitted)
    test.drive.grants.remove(own)
    try test.drive.grants.add(process: child.process, includingDescendants: false, .root)
    #expect(test.drive.grants.all.count == 1)
    child.end()
    #expect(test.drive.grants.all.isEmpty)
  }

  @Test func `state is told by extended attributes that are not listed`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100), at: "a")
    let node = try await test.node("a")
    func value(_ name: String) -> String? {
      test.drive.xattr("user.fauxdrive." + name, of: node, TestDrive.caller).ready.map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(value("status") == "notDownloaded")
    #expect(value("percent") == "0")
    #expect(value("profile") == "icloud")
    #expect(value("pin") == "unspecified")
    #expect(value("item-id")?.isEmpty == false)
    #expect(value("version")?.isEmpty == false)
    #expect(value("error") == nil)
    #expect(value("nonsense") == nil)
    #expect(test.drive.xattrNames(of: node, TestDrive.caller).ready == [])
    func request(_ text: String) -> Errno? {
      test.drive.setXattr(
        "user.fauxdrive.request", Array(text.utf8), .any, of: node, TestDrive.caller
      ).error
    }
    #expect(request("download") == nil)
    try await test.settled("/a")
    #expect(value("status") == "current")
    #expect(request("evict") == nil)
    #expect(value("status") == "notDownloaded")
    #expect(request("evict") == .invalid)
    #expect(request("explode") == .invalid)
  }

  @Test func `the ledger names the process that caused a download`() async throws {
    let test = try TestDrive("synology")
    try test.store.put(pattern(100), at: "a")
    let node = try await test.node("a")
    _ = test.stat(node)
    _ = try? await test.stat(node).value()
    let transfer = try #require(test.ledger.transfers.first)
    let cause = try #require(test.ledger.record(transfer.cause))
    #expect(transfer.answer == "completed")
    #expect(transfer.bytes == 100)
    #expect(cause.callClass == "stat")
    #expect(cause.answer == "missing")
    #expect(cause.started == "content")
    #expect(cause.process == getpid())
    #expect(cause.path == "/a")
  }

  @Test func `whoever may write may take away the bits that lend an identity, and no others`()
    async throws
  {
    let test = try TestDrive("local")
    let (node, item) = try await test.create("f", permissions: 0o4777)
    try test.close(item)
    let other = Caller(thread: getpid(), user: 65534, group: 65534)
    for (permissions, error) in [
      (0o4755, Errno.notPermitted), (0o755, .notPermitted), (0o777, nil),
    ] {
      var request = AttributeRequest()
      request.permissions = UInt16(permissions)
      #expect(test.drive.setAttributes(of: node, request, other).error == error)
    }
    #expect(try await test.stat(node).value().permissions == 0o777)
  }

  @Test func `a node is forgotten when the kernel no longer names it`() async throws {
    let test = try TestDrive("icloud")
    for number in 0..<100 { try test.store.put("x", at: "f\(number)") }
    let known = test.drive.usage.nodes
    var nodes: [NodeID] = []
    for number in 0..<100 { nodes.append(try await test.node("f\(number)")) }
    #expect(test.drive.usage.nodes == known + 100)
    for node in nodes { test.drive.forget(node, count: 1) }
    #expect(test.drive.usage.nodes == known)
  }

  @Test func `a listing goes on rightly behind a line that was deleted`() async throws {
    let test = try TestDrive("icloud")
    for number in 0..<10 { try test.store.put("x", at: "f\(number)") }
    _ = try await test.list(.root)
    var seen: [String] = []
    var cookie: UInt64 = 0
    func page(_ limit: Int) {
      var count = 0
      _ = test.drive.list(.root, after: cookie, countingLookups: false) { name, item in
        guard count < limit else { return false }
        count += 1
        cookie = item.cookie
        seen.append(
          String(decoding: Array(name.withUnsafeBufferPointer { Array($0) }), as: UTF8.self))
        return true
      }
    }
    page(5)
    try test.store.delete(at: "f2")
    try test.store.delete(at: "f7")
    try await test.drive.synchronize()
    page(100)
    #expect(seen == [".", "..", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f8", "f9"])
  }
}
