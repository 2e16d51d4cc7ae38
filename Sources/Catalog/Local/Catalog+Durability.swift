internal import Glibc
internal import Platform

extension Catalog {
  /// Waits until everything committed so far survives a power cut, as fsync(2) does for a file.
  ///
  /// Other threads go on reading and changing meanwhile. Content files are not the catalog's: whoever
  /// promises that a document is safe synchronizes its content first.
  public func synchronize() throws(CatalogError) {
    guard isOpen else { throw .closed }
    try commit()
    // A commit only appends to the write-ahead log, and after a power cut SQLite takes from the log
    // every transaction that is whole: so all that is in the log needs to be on the disk, and no commit
    // of which this call was to wait can be elsewhere but in the database file, since a checkpoint
    // waits for the disk itself before the log begins anew. The log file lives as long as a connection
    // is open, and its name is made durable when the catalog is opened. Unlike the database file, on
    // which SQLite holds locks that end with any close, the log may be opened once more.
    do throws(Errno) {
      let log = try FileDescriptor.open(readers.file.path + "-wal", O_RDONLY)
      try log.synchronize()
    } catch {
      throw CatalogError(
        .io,
        "cannot make \(readers.file.path) durable: \(error); check the disk and the permissions")
    }
  }
}
