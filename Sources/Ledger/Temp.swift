public import Platform
public final class Recorder: Sendable {
  let s = Locked<[Record]>([])
  let w = Locked<[(RecordKind, String, Wait<Bool>)]>([])
  public init(clock: any WorldClock) {}
  public func begin(_ r: Record) -> UInt64 { s.withLock { var r = r; r.id = UInt64($0.count + 1); $0.append(r); return r.id } }
  public func finish(_ id: UInt64, answer: String, bytes: Int64? = nil, waited: Int64? = nil, fault: String? = nil, started: String? = nil) {
    s.withLock { let i = Int(id) - 1; $0[i].answer = answer; if let bytes { $0[i].bytes = bytes }; if let started { $0[i].started = started } }
    let k = s.withLock { $0[Int(id) - 1].kind }
    w.withLock { for x in $0 where x.0 == k && x.1 == answer { x.2.finish(true) } }
  }
  public var all: [Record] { s.withLock { $0 } }
  public func settled(kind: RecordKind, answer: String) async throws {
    let x = Wait<Bool>()
    w.withLock { $0.append((kind, answer, x)) }
    if all.contains(where: { $0.kind == kind && $0.answer == answer }) { return }
    _ = await x.value()
  }
  public var transfers: [Record] { all.filter { $0.kind == .transfer } }
  public func record(_ id: UInt64) -> Record? { all.first { $0.id == id } }
}
public final class PendingLookups: Sendable {
  public init() {}
  public func lookup(thread: Int32, node: NodeID, record: Record) {}
  public func absorb(thread: Int32, node: NodeID) {}
}
