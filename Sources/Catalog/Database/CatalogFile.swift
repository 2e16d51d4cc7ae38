internal import CSQLite
internal import Cloud
internal import Glibc
internal import Platform

/// The names of a catalog's files in a device's folder.
struct CatalogPaths: Sendable {
  let directory: String

  /// The database.
  var database: String { directory + "/catalog.sqlite" }
  /// The database with what SQLite has beside it.
  var databaseParts: [String] { ["", "-wal", "-shm"].map { database + $0 } }
  /// See `Journal`.
  var journal: String { directory + "/catalog.journal" }
  /// See `RedoLog`.
  var redo: String { directory + "/catalog.redo" }
  /// Is locked by the process that has the catalog open.
  var lock: String { directory + "/catalog.lock" }
  /// Is there when damage was met; then everything is checked at the next start.
  var suspicion: String { directory + "/catalog.suspect" }
}

/// How a catalog is opened.
struct CatalogOpening: Sendable {
  var paths: CatalogPaths
  /// Names the running kernel.
  var boot: String
  /// Whether a database that is not there, or empty, is damage and not a beginning.
  var mustExist = false
  /// Whether everything is checked however the catalog was left.
  var isThorough = false
  /// See `DatabaseFile`.
  var fileSystem: String?

  var database: DatabaseFile { DatabaseFile(path: paths.database, fileSystem: fileSystem) }
}

/// Opens or makes the database of a catalog, and keeps other processes out while it is open.
struct CatalogFile: ~Copyable {
  let database: DatabaseFile
  let journalPath: String
  let redoPath: String
  let boot: String
  let connection: Connection
  /// How often the catalog was opened.
  let session: UInt64
  let wasPowerCut: Bool
  private let lock: FileDescriptor

  private init(
    _ opening: CatalogOpening, _ connection: Connection, session: UInt64, wasPowerCut: Bool,
    lock: consuming FileDescriptor
  ) {
    database = opening.database
    journalPath = opening.paths.journal
    redoPath = opening.paths.redo
    boot = opening.boot
    self.connection = connection
    self.session = session
    self.wasPowerCut = wasPowerCut
    self.lock = lock
  }

  static func open(
    _ opening: CatalogOpening, lock: consuming FileDescriptor, now: Timestamp
  ) throws(CatalogError) -> CatalogFile {
    let paths = opening.paths
    let hasJournal = access(paths.journal, F_OK) == 0
    let mustExist = opening.mustExist || hasJournal
    if mustExist { try CatalogCheck.requireFile(paths.database) }
    let connection = try Connection(opening.database, creating: true)
    try connection.execute("PRAGMA busy_timeout = 1000;")
    let format = try checkFormat(of: connection, mustExist: mustExist)
    try connection.execute(Schema.writerPragmas)
    if format < Schema.format { try upgrade(connection, from: format, now) }
    let end = try lastEnd(connection, opening.boot)
    // After a power cut the redo log may be of another time than the database.
    if try connection.state(bootKey) != opening.boot { unlink(paths.redo) }
    try CatalogCheck(connection, paths).check(after: end, isThorough: opening.isThorough)
    let session = try markOpen(connection, opening.boot, end)
    return CatalogFile(
      opening, connection, session: session, wasPowerCut: end == .powerCut, lock: lock)
  }

  /// Records that the catalog was closed as it should be.
  func end() throws(CatalogError) {
    try connection.setState(Self.openKey, "no")
    try connection.checkpoint(truncating: true)
  }

  /// The identity of the running kernel: it changes when the machine starts.
  static func bootIdentifier() -> String {
    guard let file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY) else {
      return "unknown"
    }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(file.rawValue, $0.baseAddress, $0.count) }
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
      .split(separator: "\n").first.map(String.init) ?? "unknown"
  }

  /// The state under which it is kept that content is not to be trusted.
  static let suspectKey = "suspect"
  /// The state that counts how often the catalog was opened.
  static let sessionKey = "session"
  private static let openKey = "open"
  private static let bootKey = "boot"

  // A lock of our own, since in WAL mode SQLite lets any number of processes in.
  static func lock(_ paths: CatalogPaths) throws(CatalogError) -> FileDescriptor {
    let file: FileDescriptor
    do throws(Errno) {
      file = try FileDescriptor.open(paths.lock, O_RDWR | O_CREAT)
    } catch {
      throw CatalogError(
        error == .noSpace ? .full : .io,
        "cannot open the catalog in \(paths.directory): \(error); check that the folder is there")
    }
    guard file.lockExclusively() else {
      throw CatalogError(
        .locked,
        "the catalog in \(paths.directory) is open in another process: stop that one first")
    }
    return file
  }

  /// Refuses what is not ours, and tells the format; 0 for a new file.
  private static func checkFormat(
    of connection: Connection, mustExist: Bool
  ) throws(CatalogError) -> Int {
    let application = Int(try connection.value("PRAGMA application_id") ?? "") ?? 0
    let format = Int(try connection.value("PRAGMA user_version") ?? "") ?? 0
    if application == Schema.application, format > Schema.format {
      throw CatalogError(
        .newerFormat(found: format, supported: Schema.format),
        "\(connection.path) has format \(format), and this program reads up to \(Schema.format): "
          + "use the newer program, or move the file away")
    }
    if application == Schema.application, format > 0 { return format }
    let tables = try connection.value("SELECT count(*) FROM sqlite_schema") ?? ""
    guard application == 0, format == 0, tables == "0" else {
      throw .corrupt(connection.path, "it belongs to another program")
    }
    guard !mustExist else { throw .corrupt(connection.path, "there is nothing in it") }
    return 0
  }

  /// One transaction, so that a file has one format or the other whatever happens.
  static func upgrade(
    _ connection: Connection, from format: Int, _ now: Timestamp,
    _ fill: (Connection) throws(CatalogError) -> Void = { _ throws(CatalogError) in }
  ) throws(CatalogError) {
    try connection.run(.beginImmediate)
    for step in Schema.steps[format...] { try connection.execute(step) }
    if format == 0 { try begin(connection, now) }
    try fill(connection)
    try connection.execute("PRAGMA user_version = \(Schema.format)")
    try connection.run(.commit)
  }

  /// What a new catalog holds.
  private static func begin(_ connection: Connection, _ now: Timestamp) throws(CatalogError) {
    try connection.execute(
      """
      INSERT INTO counters (inode, serial) VALUES (\(InodeNumber.firstFree.rawValue), 2);
      PRAGMA application_id = \(Schema.application);
      """)
    let root = Entry(
      inode: .root, parent: .root, kind: .folder, size: 0, modified: now, created: now,
      changed: now, permissions: 0o755, residency: .dataless, isPopulated: false,
      contentSerial: 1, epoch: 0)
    let row = Row(
      entry: root, name: nil, item: .root, version: ItemVersion(content: "", metadata: ""),
      checksum: nil, target: nil, permissions: nil, isHidden: false)
    try connection.run(.insert) { row.bind(to: $0) }
  }

  /// How the last process that had the catalog open has ended.
  private static func lastEnd(
    _ connection: Connection, _ bootIdentifier: String
  ) throws(CatalogError) -> LastEnd {
    if try connection.state(suspectKey) == "yes" { return .powerCut }
    guard try connection.state(openKey) == "yes" else { return .clean }
    return try connection.state(bootKey) == bootIdentifier ? .killed : .powerCut
  }

  /// - Returns: how often the catalog was opened.
  private static func markOpen(
    _ connection: Connection, _ bootIdentifier: String, _ end: LastEnd
  ) throws(CatalogError) -> UInt64 {
    let session = try connection.session()
    let isSameBoot = try connection.state(bootKey) == bootIdentifier
    let isOpen = try connection.state(openKey) == "yes"
    if isOpen, isSameBoot, session > 0 { return session }
    // The mark must be on the disk before anything that it is about, hence this one wait for it.
    try connection.execute("PRAGMA synchronous = FULL")
    try connection.run(.beginImmediate)
    try connection.setState(openKey, "yes")
    try connection.setState(bootKey, bootIdentifier)
    try connection.setState(suspectKey, end == .powerCut ? "yes" : "no")
    try connection.setState(sessionKey, String(session + 1))
    try connection.run(.commit)
    try connection.execute("PRAGMA synchronous = NORMAL")
    return session + 1
  }
}

/// How a process ended that had a catalog open.
enum LastEnd: Sendable {
  /// It closed the catalog, or there was none.
  case clean
  /// It was killed, and the machine went on.
  case killed
  /// The machine stopped, and nobody has dealt with that yet.
  case powerCut
}

extension Connection {
  /// Puts a text under a key of the catalog's own.
  func setState(_ key: String, _ value: String) throws(CatalogError) {
    try run(.setState) { statement in
      statement.bind(1, key)
      statement.bind(2, value)
    }
  }

  /// The text under a key of the catalog's own.
  func state(_ key: String) throws(CatalogError) -> String? {
    try first(.state) {
      $0.bind(1, key)
    } _: {
      $0.text(0)
    }
  }

  /// How often the catalog was opened; 0 before the first time, and in catalogs from before it was counted.
  func session() throws(CatalogError) -> UInt64 {
    UInt64(try state(CatalogFile.sessionKey) ?? "") ?? 0
  }
}
