internal import Glibc
internal import Platform

// The races of a write with whoever else edits the folder.
//
// A rename cannot say "only if this file is still there", so every write looks at what came out and gives
// back what it was not meant for. B is the version that the write is meant for, N what it puts there, X
// and Y what others put there. Whatever is neither B nor N ends up under a name, in every order:
//
// Replacing (N staged; exchange; look; unlink what came out)
// - X takes the name before the exchange: X comes out and is exchanged back; N comes out; `.versionGone`.
// - ... and Y takes the name before X is back: Y comes out instead of N. Y is newer than X, so Y is put
//   back under the name, and X, which comes out at that, gets a name of its own ("a (rescued).txt").
// - ... or N is edited in place before X is back: N comes out changed, so it is a Y.
// - ... or N is renamed or removed before X is back: the name is free, and X gets it back.
// - ... or the folder is removed: X gets a name of its own in the cloud's root.
// - The name is removed or renamed before the exchange: it fails; `.versionGone` or `.notFound`.
// - Somebody holds B open and writes to it after it came out: that is lost, as with every save that
//   replaces a file.
//
// Removing (rename to staging; look; unlink)
// - X takes the name before: X comes out and gets the name back if it is free, else a name of its own.
// - A folder that is not empty is refused by rmdir itself, or comes out as a whole.
//
// Moving to a free name (rename; look): X comes along instead of B; it is renamed back if its old name is
// free, else stays under the new name.
//
// Moving over another item (rename to staging; look; exchange; look; unlink what came out)
// - X comes out in the first step: as in removing.
// - What comes out in the second step is a folder that is not empty any more, or of the other kind: it is
//   exchanged back as in replacing, then B gets its old name back if it is free, else one of its own.
//
// If even a name of its own cannot be given (the file system is full), what came out stays in the staging
// folder together with its intent, and each opening of the store tries again.

extension DirectoryCore {
  /// What is in the staging folder under the entry's name after something was given back.
  enum GivenBack {
    /// What the write had put in place, untouched.
    case fresh
    /// Nothing.
    case nothing
  }

  /// Whether something that came out of the folder is what a write is meant for.
  func isMeant(_ expected: EntryStatus, _ found: EntryStatus?, isConditional: Bool) -> Bool {
    guard let found, expected.identity == found.identity else { return false }
    return !isConditional || !expected.differs(from: found)
  }

  /// Looks at what is staged; nil for what no cloud keeps, too.
  func staged(_ staged: StagedEntry) throws(CloudError) -> EntryStatus? {
    try folder.status(of: staged.name, in: staged.folder.descriptor)
  }

  /// Exchanges back what came out of a name.
  ///
  /// - Parameter fresh: what was put there.
  func giveBack(
    _ entry: StagedEntry, fresh: EntryStatus, to name: FileName, in parent: borrowing FileDescriptor
  ) throws(CloudError) -> GivenBack {
    var held = try staged(entry)
    var placed: EntryStatus? = fresh
    // Each round more means that somebody else was quick once more.
    for _ in 0..<Self.patience {
      do throws(Errno) {
        try staging.hook.fail(at: .givingBack)
        try Renames.exchange(entry.folder.descriptor, entry.name, parent, name)
      } catch {
        if error != .noSuchFile { break }
        if giveFree(entry, name, in: parent) { return .nothing }
        continue
      }
      let out = try staged(entry)
      if Self.isSame(out, placed) {
        if Self.isSame(out, fresh) { return .fresh }
        break
      }
      (placed, held) = (held, out)
    }
    try rescue(entry, name, in: parent)
    return .nothing
  }

  /// Gives what came out its free name back, or else a name of its own.
  func giveBackFree(
    _ entry: StagedEntry, to name: FileName, in parent: borrowing FileDescriptor
  ) throws(CloudError) {
    guard !giveFree(entry, name, in: parent) else { return }
    try rescue(entry, name, in: parent)
  }

  /// Gives what came out a name of its own, in its folder or in the root.
  func rescue(
    _ entry: StagedEntry, _ name: FileName, in parent: borrowing FileDescriptor
  ) throws(CloudError) {
    for number in 1...Self.patience where giveFree(entry, name.rescued(number), in: parent) {
      return
    }
    try rescueInRoot(entry, name)
  }

  func rescueInRoot(_ entry: StagedEntry, _ name: FileName) throws(CloudError) {
    let root = try folder.openRoot()
    for number in 1...Self.patience where giveFree(entry, name.rescued(number), in: root) { return }
    throw CloudError(
      .failed,
      "What had the name \(name) could not be given back and lies in \(entry.folder.path); make "
        + "room in the cloud's folder and open it again.")
  }

  private func giveFree(
    _ entry: StagedEntry, _ name: FileName, in parent: borrowing FileDescriptor
  ) -> Bool {
    do throws(Errno) {
      try Renames.back(entry, parent, name, hook: staging.hook)
      return true
    } catch {
      return false
    }
  }

  private static func isSame(_ one: EntryStatus?, _ other: EntryStatus?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.isSame(as: other)
  }

  private static var patience: Int { 100 }
}

extension FileName {
  /// The name of something that another item took its name from: `a (rescued).txt`, `a (rescued 2).txt`.
  func rescued(_ number: Int) -> FileName {
    let mark = Array((number == 1 ? " (rescued)" : " (rescued \(number))").utf8)
    let dot = bytes.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
    let ending = bytes[dot...].prefix(64)
    let stem = bytes[..<dot].prefix(Self.maximumLength - mark.count - ending.count)
    return FileName(stem + mark + ending) ?? self
  }
}
