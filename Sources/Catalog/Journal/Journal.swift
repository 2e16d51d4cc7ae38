internal import Cloud
internal import Glibc
internal import Platform

/// A second account of what only this device has, in plain lines beside the database, so that nothing of
/// it is lost when the database is.
///
/// It tells which items have something pending, where they lie and upon which version of the cloud's, and
/// which numbers were given out. It never tells of a change that the database does not have: lines that
/// take something away are written before the transaction is committed, the others after it. It is not
/// synchronized: it is for a damaged database, and after a power cut content tells for itself.
///
/// The first change of a session writes it anew, and so does one that finds it much longer than it
/// need be. When it cannot be written, its first byte is overwritten, which needs no room: then it
/// counts as incomplete until it was written anew.
///
/// Used under the catalog's lock only.
final class Journal {
  private let path: String
  private let session: UInt64
  private let boot: String
  /// The file as far as it is complete; nil before the first change and after a failure.
  private var file: FileDescriptor?
  private var length: Int64 = 0
  private var lengthAtFirst: Int64 = 0
  /// The rows that it has.
  private var rows: Set<InodeNumber> = []
  /// The items of which it has a sending.
  private var sendings: Set<InodeNumber> = []
  /// The numbers below which it says that some were given out.
  private var inode: UInt64 = 0
  private var serial: UInt64 = 0
  private var anchor: SyncAnchor?
  /// After a failure: how many changes to let pass before the next try, and how many are left.
  private var pause = 0
  private var toSkip = 0

  /// So many numbers more than needed are told at once.
  private static let reserve: UInt64 = 4096

  init(path: String, session: UInt64, boot: String) {
    self.path = path
    self.session = session
    self.boot = boot
  }

  /// What a transaction in progress changes for the journal.
  struct Draft {
    fileprivate var before: [UInt8] = []
    fileprivate var after: [UInt8] = []
    fileprivate var gone: [InodeNumber] = []
    fileprivate var added: [InodeNumber] = []
    fileprivate var sent: [InodeNumber] = []
    fileprivate var answered: [InodeNumber] = []
    fileprivate var numbers: Counters?
    fileprivate var anchor: SyncAnchor?
    /// Whether everything is to be written anew once the transaction is committed.
    fileprivate var isAnew = false
  }

  /// Looks, before the commit, what the journal must say after it; nil for nothing.
  func draft(
    _ changes: JournalChanges, _ counters: Counters, _ connection: Connection
  ) throws(CatalogError) -> Draft? {
    let needsNumbers = counters.inode > inode || counters.serial > serial
    guard needsNumbers || !changes.isEmpty else { return nil }
    var draft = Draft()
    draft.numbers = counters
    guard file != nil else {
      draft.isAnew = true
      return draft
    }
    if needsNumbers { numbers(for: counters).append(to: &draft.before) }
    for inode in changes.distinctItems { try add(inode, to: &draft, connection) }
    for inode in changes.sendings { try addSending(of: inode, to: &draft, connection) }
    if let anchor = changes.anchor, anchor != self.anchor {
      JournalLine.anchor(anchor).append(to: &draft.after)
      draft.anchor = anchor
    }
    return draft
  }

  /// Writes what must be there before the commit.
  func begin(_ draft: Draft) {
    guard !draft.isAnew, !draft.before.isEmpty else { return }
    for inode in draft.gone { rows.remove(inode) }
    for inode in draft.answered { sendings.remove(inode) }
    if let numbers = draft.numbers { told(numbers) }
    append(draft.before)
  }

  /// Writes the rest after the commit.
  func finish(_ draft: Draft, _ connection: Connection) {
    if file != nil, !draft.isAnew {
      rows.formUnion(draft.added)
      sendings.formUnion(draft.sent)
      anchor = draft.anchor ?? anchor
      append(draft.after)
    }
    guard file == nil || length > 2 * lengthAtFirst + 1 << 20 else { return }
    guard toSkip == 0 else {
      toSkip -= 1
      return
    }
    // What cannot be written now is written with a later change.
    try? writeAnew(draft.numbers, connection)
  }

  /// The transaction was not committed, though lines may say that something is gone.
  func cancel(_ draft: Draft) {
    if !draft.gone.isEmpty || !draft.answered.isEmpty { giveUp() }
  }

  /// The catalog is about to be closed.
  func end(_ counters: Counters, _ connection: Connection) {
    // Nothing to say: what an earlier session has written is still right.
    guard file != nil || pause > 0 else { return }
    if file == nil { try? writeAnew(counters, connection) }
    var line: [UInt8] = []
    JournalLine.end.append(to: &line)
    if file != nil { append(line) }
  }

  // MARK: Lines

  private func add(
    _ inode: InodeNumber, to draft: inout Draft, _ connection: Connection
  ) throws(CatalogError) {
    guard let row = try connection.journalRow(of: inode) else {
      guard rows.contains(inode) else { return }
      draft.gone.append(inode)
      return JournalLine.gone(inode).append(to: &draft.before)
    }
    guard row.row.pending == nil else {
      try addFolders(above: row, to: &draft, connection)
      draft.added.append(inode)
      return JournalLine.row(row).append(to: &draft.after)
    }
    guard rows.contains(inode) else { return }
    // What is in a folder may be pending although the folder itself is not any more.
    if row.row.entry.kind == .folder {
      JournalLine.row(row).append(to: &draft.before)
    } else {
      draft.gone.append(inode)
      JournalLine.gone(inode).append(to: &draft.before)
    }
  }

  private func addSending(
    of inode: InodeNumber, to draft: inout Draft, _ connection: Connection
  ) throws(CatalogError) {
    if let sending = try connection.sending(of: inode) {
      draft.sent.append(inode)
      return JournalLine.sending(sending).append(to: &draft.after)
    }
    guard sendings.contains(inode) else { return }
    draft.answered.append(inode)
    JournalLine.answered(inode).append(to: &draft.before)
  }

  /// Whoever reads the journal must find the way from the root to each item.
  private func addFolders(
    above row: JournalRow, to draft: inout Draft, _ connection: Connection
  ) throws(CatalogError) {
    var next = row.row.entry.parent
    while next != .root, !rows.contains(next), !draft.added.contains(next) {
      guard let folder = try connection.journalRow(of: next) else { return }
      JournalLine.row(folder).append(to: &draft.after)
      draft.added.append(next)
      next = folder.row.entry.parent
    }
  }

  private func numbers(for counters: Counters) -> JournalLine {
    .numbers(inode: counters.inode + Self.reserve, serial: counters.serial + Self.reserve)
  }

  private func told(_ counters: Counters) {
    guard counters.inode > inode || counters.serial > serial else { return }
    (inode, serial) = (counters.inode + Self.reserve, counters.serial + Self.reserve)
  }

  // MARK: The file

  private func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, file != nil else { return }
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(Errno) in try file?.write(buffer, at: length) }
    }
    switch result {
    case .success: length += Int64(bytes.count)
    case .failure: giveUp()
    }
  }

  /// Lets nobody take the file for complete.
  private func giveUp() {
    file = nil
    toSkip = pause
    pause = min(max(1, pause * 2), 1024)
    guard let stale = try? FileDescriptor.open(path, O_WRONLY) else { return }
    let mark: [UInt8] = [UInt8(ascii: "!")]
    let isMarked = mark.withUnsafeBytes { (try? stale.write($0, at: 0)) != nil }
    if !isMarked { unlink(path) }
  }

  private func writeAnew(_ counters: Counters?, _ connection: Connection) throws(CatalogError) {
    var bytes: [UInt8] = []
    JournalLine.begin(session: session, boot: boot).append(to: &bytes)
    if let counters { numbers(for: counters).append(to: &bytes) }
    anchor = try connection.anchor()
    if let anchor { JournalLine.anchor(anchor).append(to: &bytes) }
    var draft = Draft()
    for inode in try connection.pendingInodes() {
      try add(inode, to: &draft, connection)
      bytes += draft.after
      draft.after.removeAll(keepingCapacity: true)
    }
    let sendings = try connection.sendings()
    for sending in sendings { JournalLine.sending(sending).append(to: &bytes) }
    do throws(Errno) {
      try replaceFile(bytes)
    } catch {
      return giveUp()
    }
    rows = Set(draft.added)
    self.sendings = Set(sendings.map(\.inode))
    if let counters { told(counters) }
    (length, lengthAtFirst) = (Int64(bytes.count), Int64(bytes.count))
    (pause, toSkip) = (0, 0)
  }

  private func replaceFile(_ bytes: [UInt8]) throws(Errno) {
    file = nil
    let draft = path + ".new"
    do throws(Errno) {
      let written = try FileDescriptor.open(draft, O_RDWR | O_CREAT | O_TRUNC)
      let result = bytes.withUnsafeBytes { buffer in
        Result { () throws(Errno) in try written.write(buffer, at: 0) }
      }
      try result.get()
      guard rename(draft, path) == 0 else { throw Errno.current }
      file = consume written
    } catch {
      unlink(draft)
      throw error
    }
  }
}
