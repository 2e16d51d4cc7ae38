/// A call by which a program changes something on a device.
///
/// The kernel keeps a folder, or more, locked while most of them wait, so none of them is ever held.
public enum ChangingCall: String, Hashable, CaseIterable, Sendable {
  /// A new file: open(2) with `O_CREAT`, mknod(2).
  case create
  /// A new folder.
  case mkdir
  /// A new symbolic link.
  case symlink
  /// The first write(2) into a document since it was closed.
  case write
  /// A new length: truncate(2), open(2) with `O_TRUNC`.
  case truncate
  /// Times and permissions.
  case setattr
  /// Another name or folder.
  case rename
  /// A document goes.
  case unlink
  /// A folder goes.
  case rmdir
  /// A close(2) after writing.
  case close
  /// fsync(2) and fdatasync(2).
  case fsync
}

extension Checkpoint {
  /// A call has arrived and is allowed; nothing has changed yet.
  public static func before(_ call: ChangingCall) -> Checkpoint {
    Checkpoint(rawValue: "before:\(call.rawValue)")
  }
  /// All that a call changes is changed; its program was not answered yet.
  public static func after(_ call: ChangingCall) -> Checkpoint {
    Checkpoint(rawValue: "after:\(call.rawValue)")
  }
}
