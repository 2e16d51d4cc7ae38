internal import CPlatform
internal import Glibc
internal import Platform

/// One rename between two open folders. Each is one step for whoever watches.
enum Renames {
  /// Moves to a free name; fails with EEXIST when it is not free.
  static func toFreeName(
    _ from: borrowing FileDescriptor, _ old: FileName, _ to: borrowing FileDescriptor,
    _ new: FileName
  ) throws(Errno) {
    try rename(from, old, to, new, platform_rename_noreplace)
  }

  /// Exchanges what two names name.
  static func exchange(
    _ from: borrowing FileDescriptor, _ old: FileName, _ to: borrowing FileDescriptor,
    _ new: FileName
  ) throws(Errno) {
    try rename(from, old, to, new, platform_rename_exchange)
  }

  /// Moves to a name that nobody else has or can take: one in a staging folder.
  static func out(
    _ from: borrowing FileDescriptor, _ old: FileName, to staged: StagedEntry
  ) throws(Errno) {
    try rename(from, old, staged.folder.descriptor, staged.name, 0)
  }

  /// Moves to a free name, also where the file system cannot see to it that the name stays free: then a
  /// folder may take the place of another, empty one.
  static func back(
    _ staged: StagedEntry, _ folder: borrowing FileDescriptor, _ name: FileName, hook: WritingHook
  ) throws(Errno) {
    do throws(Errno) {
      try hook.fail(at: .givingBack)
      try toFreeName(staged.folder.descriptor, staged.name, folder, name)
    } catch {
      guard isLacking(error) else { throw error }
      do throws(Errno) {
        try link(staged, folder, name)
      } catch {
        // No folder can be linked.
        guard error == .notPermitted else { throw error }
        try rename(staged.folder.descriptor, staged.name, folder, name, 0)
      }
    }
  }

  /// Whether an error says that the file system has no such flags.
  static func isLacking(_ error: Errno) -> Bool { error == .invalid || error == .notImplemented }

  /// Gives a staged file or link a second name, which must be free, and takes its first away.
  ///
  /// As good as `toFreeName`, for file systems that cannot do that: nobody sees the first name.
  static func link(
    _ staged: StagedEntry, _ folder: borrowing FileDescriptor, _ name: FileName
  ) throws(Errno) {
    let from = staged.folder.descriptor.rawValue
    let result = CPath.with(staged.name.bytes) { old in
      CPath.with(name.bytes) { new in
        let result = linkat(from, old, folder.rawValue, new, 0)
        if result == 0 { unlinkat(from, old, 0) }
        return result
      }
    }
    guard result == 0 else { throw Errno.current }
  }

  private static func rename(
    _ from: borrowing FileDescriptor, _ old: FileName, _ to: borrowing FileDescriptor,
    _ new: FileName, _ flags: UInt32
  ) throws(Errno) {
    let result = CPath.with(old.bytes) { old in
      CPath.with(new.bytes) { new in
        platform_rename(from.rawValue, old, to.rawValue, new, flags)
      }
    }
    guard result == 0 else { throw Errno.current }
  }
}
