/// What every call gets and starts, for the profiles that no kernel is asked about: the evidence in rows, and
/// not read from the profile's file.
///
/// A cell is written as in MatrixTests: what the call gets at last; `wait:X` when it is held and then gets X;
/// `>content` or `>metadata` behind what starts it; `(lookup)` where the path walk says so already. The
/// columns are the states of the item: see there.
struct ProfileTable: Sendable, CustomStringConvertible {
  let profile: String
  /// What stands before and behind a document's name.
  var nameAround: (prefix: String, suffix: String) = ("", "")
  let rows: String

  var description: String { nameAround.prefix + profile + nameAround.suffix }

  static let all = [
    ProfileTable(profile: "googledrive", rows: replicated),
    ProfileTable(profile: "dropbox-desktop", rows: replicated),
    ProfileTable(profile: "nextcloud-mac", rows: replicated),
    ProfileTable(profile: "dropbox-ios", rows: notReplicated),
    ProfileTable(profile: "nextcloud-ios", rows: notReplicated),
    ProfileTable(profile: "owncloud-ios", rows: tellsTimeOuts),
    ProfileTable(profile: "nextcloud-suffix", rows: hidden),
    ProfileTable(profile: "nextcloud-suffix", nameAround: ("", ".nextcloud"), rows: standIns),
    ProfileTable(profile: "smb", rows: share),
  ]

  /// Dataless files on a Mac: only reading, and writing into what is there, brings content.
  private static let replicated = """
    call     | dataless              | materializing | materialized | offline            | no grant
    lookup   | present               | present       | present      | present            | present
    stat     | present               | present       | present      | present            | EPERM
    access   | present               | present       | present      | present            | EPERM
    open     | present               | present       | present      | present            | EPERM
    read     | wait>content:present  | wait:present  | present      | ETIMEDOUT>content  | EPERM
    truncate | present               | present       | present      | present            | EPERM
    write    | wait>content:present  | wait:present  | present      | ETIMEDOUT>content  | EPERM
    readdir  | wait>metadata:present | wait:present  | present      | ETIMEDOUT>metadata | EPERM
    xattr    | ENODATA               | ENODATA       | ENODATA      | ENODATA            | EPERM
    rename   | present               | present       | present      | present            | EPERM
    unlink   | present               | present       | present      | present            | EPERM
    link     | EPERM                 | EPERM         | EPERM        | EPERM              | EPERM
    explicit | present>content       | present       | present      | present>content    | EPERM
    """

  /// A question is answered with no, starts the download, and the next one waits for it; an open waits. Without
  /// a connection the document is said not to exist.
  private static let notReplicated = """
    call     | dataless              | materializing | materialized | offline            | no grant
    lookup   | present               | present       | present      | present            | present
    stat     | missing>content       | wait:present  | present      | missing>content    | EPERM
    access   | missing>content       | wait:present  | present      | missing>content    | EPERM
    open     | wait>content:present  | wait:present  | present      | missing>content    | EPERM
    read     | wait>content:present  | wait:present  | present      | missing>content    | EPERM
    truncate | present               | present       | present      | present            | EPERM
    write    | wait>content:present  | wait:present  | present      | missing>content    | EPERM
    readdir  | wait>metadata:present | wait:present  | present      | ETIMEDOUT>metadata | EPERM
    xattr    | ENODATA               | ENODATA       | ENODATA      | ENODATA            | EPERM
    rename   | present               | present       | present      | present            | EPERM
    unlink   | present               | present       | present      | present            | EPERM
    link     | EPERM                 | EPERM         | EPERM        | EPERM              | EPERM
    explicit | present>content       | present       | present      | present>content    | EPERM
    """

  /// The same, but an open without a connection says that time ran out.
  private static let tellsTimeOuts = """
    call     | dataless              | materializing | materialized | offline            | no grant
    lookup   | present               | present       | present      | present            | present
    stat     | missing>content       | wait:present  | present      | missing>content    | EPERM
    access   | missing>content       | wait:present  | present      | missing>content    | EPERM
    open     | wait>content:present  | wait:present  | present      | ETIMEDOUT>content  | EPERM
    read     | wait>content:present  | wait:present  | present      | ETIMEDOUT>content  | EPERM
    truncate | present               | present       | present      | present            | EPERM
    write    | wait>content:present  | wait:present  | present      | ETIMEDOUT>content  | EPERM
    readdir  | wait>metadata:present | wait:present  | present      | ETIMEDOUT>metadata | EPERM
    xattr    | ENODATA               | ENODATA       | ENODATA      | ENODATA            | EPERM
    rename   | present               | present       | present      | present            | EPERM
    unlink   | present               | present       | present      | present            | EPERM
    link     | EPERM                 | EPERM         | EPERM        | EPERM              | EPERM
    explicit | present>content       | present       | present      | present>content    | EPERM
    """

  /// The document's own name leads nowhere until somebody has opened the file that stands for it.
  private static let hidden = """
    call     | dataless              | materializing   | materialized | offline            | no grant
    lookup   | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    stat     | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    access   | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    open     | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    read     | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    truncate | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    write    | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    readdir  | wait>metadata:present | wait:present    | present      | ETIMEDOUT>metadata | EPERM
    xattr    | missing(lookup)       | missing(lookup) | ENODATA      | missing(lookup)    | missing(lookup)
    rename   | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    unlink   | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    link     | missing(lookup)       | missing(lookup) | EPERM        | missing(lookup)    | missing(lookup)
    explicit | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
    """

  /// The files that stand for documents: small, and opening one starts the download.
  private static let standIns = """
    call     | dataless        | materializing | materialized    | offline         | no grant
    lookup   | present         | present       | missing(lookup) | present         | present
    stat     | present         | present       | missing(lookup) | present         | EPERM
    access   | present         | present       | missing(lookup) | present         | EPERM
    open     | present>content | present       | missing(lookup) | present>content | EPERM
    read     | present>content | present       | missing(lookup) | present>content | EPERM
    truncate | EPERM           | EPERM         | missing(lookup) | EPERM           | EPERM
    write    | EPERM           | EPERM         | missing(lookup) | EPERM           | EPERM
    xattr    | ENODATA         | ENODATA       | missing(lookup) | ENODATA         | EPERM
    rename   | EPERM           | EPERM         | missing(lookup) | EPERM           | EPERM
    unlink   | present         | present       | missing(lookup) | present         | EPERM
    link     | EPERM           | EPERM         | missing(lookup) | EPERM           | EPERM
    explicit | present>content | present       | missing(lookup) | present>content | EPERM
    """

  /// A file server: as a replicated provider, but it is the server that does not answer.
  private static let share = """
    call     | dataless              | materializing | materialized | offline            | no grant
    lookup   | present               | present       | present      | present            | present
    stat     | present               | present       | present      | present            | EPERM
    access   | present               | present       | present      | present            | EPERM
    open     | present               | present       | present      | present            | EPERM
    read     | wait>content:present  | wait:present  | present      | EHOSTDOWN>content  | EPERM
    truncate | present               | present       | present      | present            | EPERM
    write    | wait>content:present  | wait:present  | present      | EHOSTDOWN>content  | EPERM
    readdir  | wait>metadata:present | wait:present  | present      | EHOSTDOWN>metadata | EPERM
    xattr    | ENODATA               | ENODATA       | ENODATA      | ENODATA            | EPERM
    rename   | present               | present       | present      | present            | EPERM
    unlink   | present               | present       | present      | present            | EPERM
    link     | EPERM                 | EPERM         | EPERM        | EPERM              | EPERM
    explicit | present>content       | present       | present      | present>content    | EPERM
    """

  /// One call, and what it gets in each state.
  struct Row {
    let call: String
    let cells: [String]

    init(_ line: String) {
      let columns = line.split(separator: "|").map { column in
        column.drop { $0 == " " }.split(separator: "  ").first.map(String.init) ?? ""
      }
      call = columns[0].replacing(" ", with: "")
      cells = columns.dropFirst().map { $0.hasSuffix(" ") ? String($0.dropLast()) : $0 }
    }
  }

  /// The calls and their cells in one state.
  func cells(_ state: String) -> [(call: String, cell: String)] {
    let lines = rows.split(separator: "\n").map { Row(String($0)) }
    guard let column = lines[0].cells.firstIndex(of: state) else { return [] }
    return lines.dropFirst().map { ($0.call, $0.cells[column]) }
  }
}
