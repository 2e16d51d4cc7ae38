import Drive
public import Fuse
public import Platform

extension DriveOperations {
  /// Shows an extended attribute.
  public func getxattr(
    _ node: NodeID, _ name: Span<UInt8>, reply: consuming Reply<ExtendedAttribute>
  ) {
    // The kernel and `ls` ask for these at every turn, and no document of a cloud has any.
    guard !Self.begins(name, with: "security."), !Self.begins(name, with: "system.") else {
      drive.endWalk(at: node, reply.caller)
      reply.fail(.noData)
      return
    }
    let outcome = drive.xattr(Self.text(name), of: node, reply.caller)
    answer(outcome, reply) { reply, value in reply.succeed(value) }
  }

  /// Lists the names of extended attributes.
  public func listxattr(_ node: NodeID, reply: consuming Reply<ExtendedAttribute>) {
    let outcome = drive.xattrNames(of: node, reply.caller)
    answer(outcome, reply) { reply, names in reply.succeed(names) }
  }

  /// Sets an extended attribute, or asks the drive for something.
  public func setxattr(
    _ node: NodeID, _ name: Span<UInt8>, value: RawSpan, flags: ExtendedAttributeFlags,
    reply: consuming Reply<Empty>
  ) {
    let bytes = value.withUnsafeBytes { Array($0) }
    let mode: XattrMode =
      flags.contains(.create) ? .create : flags.contains(.replace) ? .replace : .any
    let outcome = drive.setXattr(Self.text(name), bytes, mode, of: node, reply.caller)
    answer(outcome, reply) { reply, _ in reply.succeed() }
  }

  /// Removes an extended attribute.
  public func removexattr(
    _ node: NodeID, _ name: Span<UInt8>, reply: consuming Reply<Empty>
  ) {
    let outcome = drive.removeXattr(Self.text(name), of: node, reply.caller)
    answer(outcome, reply) { reply, _ in reply.succeed() }
  }

  private static func begins(_ name: Span<UInt8>, with prefix: StaticString) -> Bool {
    guard name.count >= prefix.utf8CodeUnitCount else { return false }
    return (0..<prefix.utf8CodeUnitCount).allSatisfy { name[$0] == prefix.utf8Start[$0] }
  }

  private static func text(_ name: Span<UInt8>) -> String {
    name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}
