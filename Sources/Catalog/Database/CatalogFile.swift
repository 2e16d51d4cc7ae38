internal import CSQLite
internal import Cloud
internal import Glibc
internal import Platform

/// Opens or makes the database of a catalog, and keeps other processes out while it is open.
struct CatalogFile: ~Copyable {
  let path: String
  let connection: Connection
  let wasPowerCut: Bool
  private let lock: FileDescriptor

  private init(
    path: String, connection: Connection, wasPowerCut: Bool, lock: consuming FileDescriptor
  ) {
    self.path = path
    self.connection = connection
    self.wasPowerCut = wasPowerCut
    self.lock = lock
  }

  static func open(
    directory: String, bootIdentifier: String, now: Timestamp
  ) throws(CatalogError) -> CatalogFile {
    let path = directory + "/catalog.sqlite"
    let lock = try lock(directory)
    let connection = try Connection(path: path, creating: true)
    try connection.execute("PRAGMA busy_timeout = 1000;")
    let format = try checkFormat(of: connection)
    try connection.execute(Schema.writerPragmas)
    if format < Schema.format { try upgrade(connection, from: format, now) }
    let wasPowerCut = try wasPowerCut(connection, bootIdentifier)
    if wasPowerCut { try checkPages(of: connection) }
    try markOpen(connection, bootIdentifier, wasPowerCut)
    return CatalogFile(path: path, connection: connection, wasPowerCut: wasPowerCut, lock: lock)
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
  private static let openKey = "open"
  private static let bootKey = "boot"

  // A lock of our own, since in WAL mode SQLite lets any number of processes in.
  private static func lock(_ directory: String) throws(CatalogError) -> FileDescriptor {
    let file: FileDescriptor
    do throws(Errno) {
      file = try FileDescriptor.open(directory + "/catalog.lock", O_RDWR | O_CREAT)
    } catch {
      throw CatalogError(
        .io, "cannot open the catalog in \(directory): \(error); check that the folder is there")
    }
    guard file.lockExclusively() else {
      throw CatalogError(
        .locked,
        "the catalog in \(directory) is open in another process: stop that one first")
    }
    return file
  }

  /// Refuses what is not ours, and tells the format; 0 for a new file.
  private static func checkFormat(of connection: Connection) throws(CatalogError) -> Int {
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
    return 0
  }

  /// One transaction, so that a file has one format or the other whatever happens.
  private static func upgrade(
    _ connection: Connection, from format: Int, _ now: Timestamp
  ) throws(CatalogError) {
    try connection.run(.beginImmediate)
    for step in Schema.steps[format...] { try connection.execute(step) }
    if format == 0 { try fill(connection, now) }
    try connection.execute("PRAGMA user_version = \(Schema.format)")
    try connection.run(.commit)
  }

  /// What a new catalog holds.
  private static func fill(_ connection: Connection, _ now: Timestamp) throws(CatalogError) {
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

  /// Whether the machine died while the catalog was open, and nobody has dealt with it yet.
  private static func wasPowerCut(
    _ connection: Connection, _ bootIdentifier: String
  ) throws(CatalogError) -> Bool {
    if try state(suspectKey, connection) == "yes" { return true }
    guard try state(openKey, connection) == "yes" else { return false }
    return try state(bootKey, connection) != bootIdentifier
  }

  private static func markOpen(
    _ connection: Connection, _ bootIdentifier: String, _ wasPowerCut: Bool
  ) throws(CatalogError) {
    let wasOpen = try state(openKey, connection) == "yes"
    let isSameBoot = try state(bootKey, connection) == bootIdentifier
    if wasOpen && isSameBoot { return }
    // The mark must be on the disk before anything that it is about, hence this one wait for it.
    try connection.execute("PRAGMA synchronous = FULL")
    try connection.run(.beginImmediate)
    try connection.setState(openKey, "yes")
    try connection.setState(bootKey, bootIdentifier)
    try connection.setState(suspectKey, wasPowerCut ? "yes" : "no")
    try connection.run(.commit)
    try connection.execute("PRAGMA synchronous = NORMAL")
  }

  private static func state(
    _ key: String, _ connection: Connection
  ) throws(CatalogError) -> String? {
    try connection.first(.state) {
      $0.bind(1, key)
    } _: {
      $0.text(0)
    }
  }

  // Reads the whole file. Only a power cut (or a bad disk) can damage it, so that a killed process
  // does not make a start slow.
  private static func checkPages(of connection: Connection) throws(CatalogError) {
    let verdict = try connection.value("PRAGMA quick_check(1)") ?? ""
    guard verdict == "ok" else { throw .corrupt(connection.path, verdict) }
  }
}

extension Connection {
  /// Puts a text under a key of the catalog's own.
  func setState(_ key: String, _ value: String) throws(CatalogError) {
    try run(.setState) { statement in
      statement.bind(1, key)
      statement.bind(2, value)
    }
  }
}
