internal import Platform

/// What a write is about to do to the cloud's folder, written to the index before it does it, so that a
/// store that is opened after a crash knows what lies in the staging folder and why.
struct Intent: Sendable {
  /// The numbers are those in the index; do not change them.
  enum Sort: Int64 {
    /// A new version is exchanged with the file of the item.
    case replace = 0
    /// The item is moved out, to be removed.
    case remove = 1
    /// The item is moved to a free name.
    case move = 2
    /// The item is moved out, and then exchanged with what has its new name.
    case moveOver = 3
  }

  let sort: Sort
  let place: StagingPlace
  let staged: FileName
  /// Whether it is meant for the version in the index only.
  let isConditional: Bool
  /// The item as it shall be: its identifier, its place, and the status of what is put there.
  let row: IndexRow

  init(_ sort: Sort, _ row: IndexRow, _ staged: StagedEntry, isConditional: Bool) {
    self.sort = sort
    self.row = row
    self.isConditional = isConditional
    place = staged.folder.place
    self.staged = staged.name
  }

  fileprivate init?(_ found: SQLRow) {
    guard let sort = Sort(rawValue: found.integer(0)),
      let place = StagingPlace(rawValue: found.integer(1)),
      let staged = FileName(found.bytes(2))
    else { return nil }
    self.sort = sort
    self.place = place
    self.staged = staged
    isConditional = found.integer(3) != 0
    row = IndexRow(found, from: 4)
  }
}

extension DirectoryIndex {
  func insert(_ intent: Intent) throws(CloudError) {
    try database.run(
      "INSERT INTO intents(sort, place, staged, conditional, \(IndexRow.columns)) "
        + "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      [
        .integer(intent.sort.rawValue), .integer(intent.place.rawValue),
        .text(intent.staged.text), .integer(intent.isConditional ? 1 : 0), .integer(intent.row.id),
      ] + intent.row.values)
  }

  func removeIntent(_ staged: FileName) throws(CloudError) {
    try database.run("DELETE FROM intents WHERE staged = ?", [.text(staged.text)])
  }

  /// All that were not carried out to their end, oldest first.
  func intents() throws(CloudError) -> [Intent] {
    try database.rows(
      "SELECT sort, place, staged, conditional, \(IndexRow.columns) FROM intents ORDER BY serial"
    ) { Intent($0) }.compactMap { $0 }
  }

  /// Whether what is staged under a name may be somebody's only copy.
  func hasIntent(_ staged: FileName) throws(CloudError) -> Bool {
    try database.rows("SELECT 1 FROM intents WHERE staged = ?", [.text(staged.text)]) { _ in true }
      .first ?? false
  }

  /// What tells this index's hidden folders from another's.
  func stagingToken() throws(CloudError) -> String {
    try database.run(
      "INSERT OR IGNORE INTO meta(key, value) VALUES('staging', ?)",
      [.text(StagingFolder.freshName().text)])
    return try database.rows("SELECT value FROM meta WHERE key = 'staging'") { $0.text(0) }
      .first ?? ""
  }
}
