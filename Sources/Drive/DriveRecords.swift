import Catalog
import Cloud
import Glibc
import Ledger
public import Platform
import Profiles

extension Drive {
  /// Whether a request on this row belongs in the ledger.
  func matters(_ entry: Entry) -> Bool { settings.isAudited || !isLocal(entry) }

  /// Begins the record of a request; 0 when it does not matter.
  func begin(_ callClass: CallClass, _ id: NodeID, _ entry: Entry, _ caller: Caller) -> UInt64 {
    ledger.absorb(thread: caller.thread, node: id)
    guard matters(entry) else { return 0 }
    return ledger.begin(record(callClass, entry, caller))
  }

  /// Tells that a call follows a path walk that needs no record: the walk is no request of its own.
  public func endWalk(at id: NodeID, and second: NodeID? = nil, _ caller: Caller) {
    ledger.absorb(thread: caller.thread, node: id, and: second)
  }

  /// The process for whose handle `fstat` is no check; 0 where the ledger does not care.
  func opener(of entry: Entry, _ caller: Caller) -> pid_t {
    matters(entry) ? programs.program(of: caller.thread).process : 0
  }

  func record(_ callClass: CallClass, _ entry: Entry, _ caller: Caller) -> Record {
    let program = programs.program(of: caller.thread)
    let item = (try? catalog.details(of: entry.inode))??.item.rawValue ?? ""
    return Record(
      kind: .request, device: settings.device, callClass: callClass.rawValue,
      path: path(of: entry.inode), item: item, process: program.process,
      executable: program.executable)
  }

  func path(of inode: InodeNumber) -> String { (try? catalog.path(of: inode)) ?? "" }

  /// Finishes a record when the outcome is there, and hands the outcome on.
  func recorded<Value: Sendable>(
    _ record: UInt64, started: Starts = .nothing, _ outcome: Outcome<Value>
  ) -> Outcome<Value> {
    guard record != 0 else { return outcome }
    let begun = clock.now
    outcome.whenFinished { [ledger, clock] result in
      let answer =
        switch result {
        case .success: "present"
        case .failure(.noSuchFile): "missing"
        case .failure(let error): error.name
        }
      ledger.finish(
        record, answer: answer, waited: clock.now - begun, started: started.rawValue)
    }
    return outcome
  }
}
