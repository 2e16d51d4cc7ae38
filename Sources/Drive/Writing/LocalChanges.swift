import Catalog
import Cloud
import Glibc
import Ledger
import Platform
import Profiles

/// What every change by a program on this device has in common.
extension Drive {
  /// Changes rows of the catalog, and then the nodes that show them.
  ///
  /// The kernel makes the same change in what it remembers by itself, when the reply says success.
  func changeLocally<Value: Sendable>(
    in folders: [InodeNumber] = [], _ change: () throws(LocalChangeError) -> Value,
    show: (inout NodeTable, Value) -> Void
  ) throws(Errno) -> Value {
    try revision.withLock { _ throws(Errno) in
      let value: Value
      do throws(LocalChangeError) {
        value = try change()
      } catch {
        throw error.errno
      }
      let rows = Set(folders).compactMap { (try? catalog.entry(of: $0)) ?? nil }
      table.withLock { table in
        table.rowsChanged()
        // A folder's own times change with the names in it.
        for row in rows { table.update(row.node) { $0.entry = row } }
        show(&table, value)
      }
      return value
    }
  }

  /// The folder in which a name shall change; throws why the caller may not change it.
  ///
  /// Who changes a name that exists calls `endWalk` on what it leads to first.
  func changeable(_ id: NodeID, _ caller: Caller) throws(Errno) -> Entry {
    guard let node = node(id), node.isCurrent else { throw .stale }
    guard node.entry.kind == .folder else { throw .notDirectory }
    ledger.walk(thread: caller.thread, through: id)
    try permission(node.entry, mask: W_OK | X_OK, caller).get()
    return node.entry
  }

  /// Throws when a scoped world does not let the caller touch an item.
  func requireGrant(
    _ callClass: CallClass, to entry: Entry, _ caller: Caller
  ) throws(Errno) {
    if let error = refusal(callClass, entry.node, Node(entry: entry), caller) { throw error }
  }

  /// Throws when a scoped world does not let the caller make new names in a folder. A name that does not
  /// exist yet has no record of its own.
  func requireGrant(toFill folder: Entry, _ caller: Caller) throws(Errno) {
    guard mayTouch(folder.inode, caller) else { throw settings.representation.withoutGrant }
  }

  /// What the dial says of a change of a name that leads to something that is not here.
  ///
  /// Such a call cannot be held, since the kernel keeps the folder locked meanwhile; where a profile wants
  /// it to wait, it starts what the profile says and is refused.
  func reactToChange(
    _ callClass: CallClass, of entry: Entry, _ caller: Caller
  ) throws(Errno) {
    let record = begin(callClass, entry.node, entry, caller)
    guard entry.kind == .file, !isLocal(entry) else {
      if record != 0 { ledger.finish(record, answer: Answer.present.text) }
      return
    }
    let reaction = settings.representation.dial[callClass]
    let key = ContentKey(entry)
    let (answer, starts) = reaction.to(contentState(of: key))
    if starts == .content { materializer.start(key, callClass: callClass, cause: record) }
    let refusal = answer.refusal ?? (answer == .wait ? .busy : nil)
    if record != 0 {
      ledger.finish(
        record, answer: refusal?.name ?? Answer.present.text, started: starts.rawValue)
    }
    if let refusal { throw refusal }
  }
}

extension LocalChangeError {
  /// What a program gets.
  var errno: Errno {
    switch self {
    case .refused(let error): error
    case .catalog(let error): error.errno
    }
  }
}
