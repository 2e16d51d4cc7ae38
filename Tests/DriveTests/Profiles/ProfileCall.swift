import Cloud
import Glibc
import Ledger
import Platform
import Simulation
import Testing

@testable import Drive

/// What a call got: an answer, or a wait that goes on.
enum Seen: Sendable {
  case answered(String)
  case held(@Sendable () async -> String)

  init<Value: Sendable>(
    _ outcome: Outcome<Value>,
    then: (@Sendable (Value) async throws(Errno) -> Void)? = nil
  ) async {
    switch outcome {
    case .failed(let error): self = .answered(error.answer)
    case .pending(let ticket):
      self = .held {
        await Seen.text { () async throws(Errno) in
          let value = try await ticket.value()
          try await then?(value)
        }
      }
    case .ready(let value):
      self = .answered(await Seen.text { () async throws(Errno) in try await then?(value) })
    }
  }

  static func text(_ body: () async throws(Errno) -> Void) async -> String {
    do {
      try await body()
      return "present"
    } catch {
      return error.answer
    }
  }
}

extension Errno {
  /// As profiles and tables write it.
  fileprivate var answer: String { self == .noSuchFile ? "missing" : name }
}

/// A call of the tables, made on a drive.
struct ProfileCall {
  let test: TestDrive
  let call: String
  /// The name that the program gives.
  let name: String

  func make() async -> Seen {
    let bytes = Array(name.utf8)
    let caller = TestDrive.caller
    let node: NodeID
    switch test.drive.lookup(bytes.span, in: .root, caller) {
    case .ready(.found(let found)): node = found.node
    case .failed(let error): return .answered("\(error.answer)(lookup)")
    default: return .answered("a look-up that waits, or nothing")
    }
    switch call {
    case "lookup": return .answered("present")
    case "stat": return await Seen(test.stat(node))
    case "access": return await Seen(test.drive.access(node, mask: R_OK, caller))
    case "open": return await opened(node, O_RDONLY) { _ in nil }
    case "read":
      return await opened(node, O_RDONLY) { item in
        await Seen(test.read(ByteRange(offset: 0, count: 1), item, node))
      }
    case "truncate": return await opened(node, O_WRONLY | O_TRUNC) { _ in nil }
    case "write":
      return await opened(node, O_RDWR) { item in
        let byte: [UInt8] = [33]
        return await Seen(test.drive.write(byte.span.bytes, at: 0, of: item.handle, caller))
      }
    case "readdir": return await Seen(test.drive.openFolder(node, caller))
    case "xattr": return await Seen(test.drive.xattr("user.none", of: node, caller))
    case "rename":
      let other = Array((name + ".other").utf8)
      return await Seen(
        test.drive.rename(bytes.span, in: .root, to: other.span, in: .root, flags: 0, caller))
    case "unlink":
      return await Seen(test.drive.remove(bytes.span, in: .root, asFolder: false, caller))
    case "link": return .answered(test.drive.refuseLink(to: node, caller).answer)
    case "explicit":
      return await Seen(
        test.drive.setXattr(
          "user.fauxdrive.request", Array("download".utf8), .any, of: node, caller))
    default: return .answered("no such call")
    }
  }

  /// Opens, and then does something with what is open.
  private func opened(
    _ node: NodeID, _ flags: Int32, _ use: @escaping @Sendable (OpenedItem) async -> Seen?
  ) async -> Seen {
    switch test.drive.open(node, flags: flags, TestDrive.caller) {
    case .failed(let error): return .answered(error.answer)
    case .ready(let item): return await use(item) ?? .answered("present")
    case .pending(let ticket):
      return .held {
        do throws(Errno) {
          switch await use(try await ticket.value()) {
          case nil: return "present"
          case .answered(let text): return text
          case .held(let rest): return await rest()
          }
        } catch {
          return error.answer
        }
      }
    }
  }
}
