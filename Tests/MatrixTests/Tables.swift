/// What every call of every caller gets and starts, for each profile and state: the evidence for each
/// profile in rows, and not read from its file.
///
/// A cell is what the caller gets at last:
///
/// - `present`: the real answer. `missing`: ENOENT. Else the error's name.
/// - `wait:X`: the call is held, and gets X when the transfer goes on.
/// - `X>content`, `X>metadata`: the call starts the transfer of the content or of a folder's children.
///   `wait>content:X` does both. Without `>` it starts nothing.
/// - `X(lookup)`: the path walk has said so already, and the call itself never came.
///
/// A row counts for the callers that it names; one that names a program (in quotes) counts for that
/// program instead. `waits in` names the request that is held, where it is not the call itself.
///
/// - `n/a`: there is no such thing; the comment of the table tells why.
///
/// The states: *dataless*, nothing runs; *materializing*, a gate holds the transfer; *materialized*;
/// *offline*, dataless and without a network; *no grant*, dataless in a scoped world, by a process that
/// nobody let in. For `readdir` a folder is dataless when nobody has listed it on this device.
struct Table: Sendable {
  let profile: String
  /// What stands before and behind a document's name.
  var nameAround: (prefix: String, suffix: String) = ("", "")
  let rows: String

  var name: String { nameAround.prefix + profile + nameAround.suffix }

  static let all = [local, icloud, icloudLegacy, icloudLegacyStandIns, synology, onedrive]

  /// A disk: whatever the network and the gates do, it is all there.
  static let local = Table(
    profile: "local",
    rows: """
      call    | callers             | waits in | dataless | materializing | materialized | offline | no grant
      lookup  | direct shell python |          | present  | present       | present      | present | present
      stat    | all                 |          | present  | present       | present      | present | EPERM
      access  | all                 |          | present  | present       | present      | present | EPERM
      open    | all                 |          | present  | present       | present      | present | EPERM
      read    | all                 |          | present  | present       | present      | present | EPERM
      write   | all                 |          | present  | present       | present      | present | EPERM
      readdir | all                 |          | present  | present       | present      | present | EPERM
      xattr   | direct shell python |          | ENODATA  | ENODATA       | ENODATA      | ENODATA | EPERM
      rename  | all                 |          | present  | present       | present      | present | EPERM
      unlink  | all                 |          | present  | present       | present      | present | EPERM
      link    | all                 |          | EPERM    | EPERM         | EPERM        | EPERM   | EPERM
      explicit| direct shell python |          | present  | present       | present      | present | EPERM
      """)

  /// Dataless files: only reading brings content (measured on macOS 26), and only listing brings a list
  /// (Apple Technote TN3150); ETIMEDOUT when they cannot be brought (XNU read(2), open(2)).
  static let icloud = Table(
    profile: "icloud",
    rows: """
      call    | callers             | waits in | dataless              | materializing | materialized | offline            | no grant
      lookup  | direct shell python |          | present               | present       | present      | present            | present
      stat    | all                 |          | present               | present       | present      | present            | EPERM
      access  | all                 |          | present               | present       | present      | present            | EPERM
      open    | all                 |          | present               | present       | present      | present            | EPERM
      read    | all                 |          | wait>content:present  | wait:present  | present      | ETIMEDOUT>content  | EPERM
      write   | all                 | truncate | wait>content:present  | wait:present  | present      | ETIMEDOUT>content  | EPERM
      write   | "open(O_WRONLY)"    |          | present               | present       | present      | present            | EPERM
      write   | "dash: : >> \"$1\"" |          | present               | present       | present      | present            | EPERM
      write   | "open(path, 'r+')"  |          | present               | present       | present      | present            | EPERM
      write   | "FileHandle(forUpdating:)" |   | present               | present       | present      | present            | EPERM
      write   | "open(O_WRONLY), write" | write | wait>content:present | wait:present  | present      | ETIMEDOUT>content  | EPERM
      readdir | all                 |          | wait>metadata:present | wait:present  | present      | ETIMEDOUT>metadata | EPERM
      xattr   | direct shell python |          | ENODATA               | ENODATA       | ENODATA      | ENODATA            | EPERM
      rename  | all                 |          | present               | present       | present      | present            | EPERM
      unlink  | all                 |          | present               | present       | present      | present            | EPERM
      link    | all                 |          | EPERM                 | EPERM         | EPERM        | EPERM              | EPERM
      explicit| direct shell python |          | present>content       | present       | present      | present>content    | EPERM
      """)

  /// Stand-ins: the document's own name leads nowhere until somebody has downloaded it. Whoever
  /// creates it gets a document of his own, which is a conflict copy in the cloud: see DriveTests.
  static let icloudLegacy = Table(
    profile: "icloud-legacy",
    rows: """
      call    | callers                   | waits in | dataless              | materializing   | materialized | offline            | no grant
      lookup  | direct shell python       |          | missing               | missing         | present      | missing            | missing
      stat    | all                       |          | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
      access  | all                       |          | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
      open    | all                       |          | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
      read    | all                       |          | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
      write   | direct python             |          | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
      write   | shell                     |          | n/a                   | n/a             | present      | n/a                | n/a
      write   | "FileHandle(forUpdating:)"|          | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
      write   | foundation                |          | n/a                   | n/a             | present      | n/a                | n/a
      readdir | all                       |          | wait>metadata:present | wait:present    | present      | ETIMEDOUT>metadata | EPERM
      xattr   | direct shell python       |          | missing(lookup)       | missing(lookup) | ENODATA      | missing(lookup)    | missing(lookup)
      rename  | all                       |          | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
      unlink  | all                       |          | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
      link    | all                       |          | missing(lookup)       | missing(lookup) | EPERM        | missing(lookup)    | missing(lookup)
      explicit| direct shell python       |          | missing(lookup)       | missing(lookup) | present      | missing(lookup)    | missing(lookup)
      """)

  /// The stand-ins themselves: small files whose opening starts the download of the document; then the
  /// stand-in is gone. Folders have none.
  static let icloudLegacyStandIns = Table(
    profile: "icloud-legacy", nameAround: (".", ".icloud"),
    rows: """
      call    | callers             | waits in | dataless              | materializing | materialized    | offline            | no grant
      lookup  | direct shell python |          | present               | present       | missing         | present            | present
      stat    | all                 |          | present               | present       | missing(lookup) | present            | EPERM
      access  | all                 |          | present               | present       | missing(lookup) | present            | EPERM
      open    | all                 |          | present>content       | present       | missing(lookup) | present>content    | EPERM
      read    | all                 |          | present>content       | present       | missing(lookup) | present>content    | EPERM
      write   | direct python       |          | EPERM                 | EPERM         | missing(lookup) | EPERM              | EPERM
      write   | shell               |          | EPERM                 | EPERM         | present(lookup) | EPERM              | EPERM
      write   | "FileHandle(forUpdating:)" |   | EPERM                 | EPERM         | missing(lookup) | EPERM              | EPERM
      write   | foundation          |          | EPERM                 | EPERM         | present(lookup) | EPERM              | EPERM
      xattr   | direct shell python |          | ENODATA               | ENODATA       | missing(lookup) | ENODATA            | EPERM
      rename  | all                 |          | EPERM         | EPERM         | missing(lookup) | EPERM              | EPERM
      unlink  | all                 |          | present       | present       | missing(lookup) | present            | EPERM
      link    | all                 |          | EPERM         | EPERM         | missing(lookup) | EPERM              | EPERM
      explicit| direct shell python |          | present>content       | present       | missing(lookup) | present>content    | EPERM
      readdir | all                 |          | n/a                   | n/a           | n/a             | n/a                | n/a
      """)

  /// A provider that is not replicated: a question is answered with no, and starts the download, and
  /// the next one waits for it; an open waits. (OutputStream asks, and then empties what it has asked for:
  /// who comes first is chance.) Offline a document is said not to exist (nextcloud/ios#2374).
  static let synology = Table(
    profile: "synology",
    rows: """
      call    | callers             | waits in | dataless              | materializing | materialized | offline            | no grant
      lookup  | direct shell python |          | present               | present       | present      | present            | present
      stat    | all                 |          | missing>content       | wait:present  | present      | missing>content    | EPERM
      access  | all                 |          | missing>content       | wait:present  | present      | missing>content    | EPERM
      open    | all                 |          | wait>content:present  | wait:present  | present      | missing>content    | EPERM
      read    | all                 | open     | wait>content:present  | wait:present  | present      | missing>content    | EPERM
      write   | all                 | open     | wait>content:present  | wait:present  | present      | missing>content    | EPERM
      write   | "open(O_TRUNC)"     |          | present               | present       | present      | present            | EPERM
      write   | "dash: : > \"$1\""  |          | present               | present       | present      | present            | EPERM
      write   | "Data.write(to:)"   |          | present               | present       | present      | present            | EPERM
      write   | "OutputStream"      | stat     | n/a                   | wait:present  | present      | n/a                | n/a
      readdir | all                 |          | wait>metadata:present | wait:present  | present      | ETIMEDOUT>metadata | EPERM
      xattr   | direct shell python |          | ENODATA               | ENODATA       | ENODATA      | ENODATA            | EPERM
      xattr   | "getfattr -n"       | stat     | missing>content       | wait:ENODATA  | ENODATA      | missing>content    | EPERM
      rename  | all                 |          | present               | present       | present      | present            | EPERM
      rename  | "moveItem"          | stat     | present>content       | wait:present  | present      | present>content    | EPERM
      unlink  | all                 |          | present               | present       | present      | present            | EPERM
      unlink  | "rm"                | stat     | present>content       | wait:present  | present      | present>content    | EPERM
      unlink  | "removeItem"        | stat     | present>content       | wait:present  | present      | present>content    | EPERM
      link    | all                 |          | EPERM                 | EPERM         | EPERM        | EPERM              | EPERM
      link    | "ln"                | stat     | missing>content       | wait:EPERM    | EPERM        | missing>content    | EPERM
      link    | "linkItem"          | stat     | missing>content       | wait:EPERM    | EPERM        | missing>content    | EPERM
      explicit| direct shell python |          | present>content       | present       | present      | present>content    | EPERM
      """)

  /// A replicated provider: built on the same dataless files as iCloud Drive.
  static let onedrive = Table(
    profile: "onedrive",
    rows: """
      call    | callers             | waits in | dataless              | materializing | materialized | offline            | no grant
      lookup  | direct shell python |          | present               | present       | present      | present            | present
      stat    | all                 |          | present               | present       | present      | present            | EPERM
      access  | all                 |          | present               | present       | present      | present            | EPERM
      open    | all                 |          | present               | present       | present      | present            | EPERM
      read    | all                 |          | wait>content:present  | wait:present  | present      | ETIMEDOUT>content  | EPERM
      write   | all                 |          | present               | present       | present      | present            | EPERM
      write   | "open(O_WRONLY), write" | write | wait>content:present | wait:present  | present      | ETIMEDOUT>content  | EPERM
      readdir | all                 |          | wait>metadata:present | wait:present  | present      | ETIMEDOUT>metadata | EPERM
      xattr   | direct shell python |          | ENODATA               | ENODATA       | ENODATA      | ENODATA            | EPERM
      rename  | all                 |          | present               | present       | present      | present            | EPERM
      unlink  | all                 |          | present               | present       | present      | present            | EPERM
      link    | all                 |          | EPERM                 | EPERM         | EPERM        | EPERM              | EPERM
      explicit| direct shell python |          | present>content       | present       | present      | present>content    | EPERM
      """)
}
