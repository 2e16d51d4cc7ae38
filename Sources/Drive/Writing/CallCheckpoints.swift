import Catalog
import Platform

/// Where a test can end the process in the middle of a program's call. Nobody is held there.
extension Drive {
  /// Changes something between the two checkpoints of a call.
  func changing<Value>(
    _ call: ChangingCall, _ name: FileName, in folder: InodeNumber,
    _ change: () throws(Errno) -> Value
  ) throws(Errno) -> Value {
    try changing(call, path: { Self.path(of: name, in: self.path(of: folder)) }, change)
  }

  /// As above, of an item itself.
  func changing<Value>(
    _ call: ChangingCall, _ id: NodeID, _ change: () throws(Errno) -> Value
  ) throws(Errno) -> Value {
    try changing(call, path: { self.path(of: id.inode) }, change)
  }

  func pass(_ checkpoint: Checkpoint, _ id: NodeID) {
    checkpoints.pass(checkpoint) {
      CheckpointSubject(item: "", path: path(of: id.inode), cause: 0)
    }
  }

  private func changing<Value>(
    _ call: ChangingCall, path: () -> String, _ change: () throws(Errno) -> Value
  ) throws(Errno) -> Value {
    checkpoints.pass(.before(call)) { CheckpointSubject(item: "", path: path(), cause: 0) }
    let value = try change()
    checkpoints.pass(.after(call)) { CheckpointSubject(item: "", path: path(), cause: 0) }
    return value
  }

  /// The path of a name in a folder.
  static func path(of name: FileName, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name.text : folder + "/" + name.text
  }
}
