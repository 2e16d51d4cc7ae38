import Control
import DriveClient
import Foundation
import Glibc
import MountKit
import Platform
import Testing

/// What a program sees that looks at the cloud all the time while others save on the drive.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct ObserverTests {
  /// How a program saves; `$1` is the document, `$2` holds its new content.
  struct Save: Sendable {
    let name: String
    let script: String
    let size: Int
    /// Whether the document is the same item all the time.
    var isKept = true
  }

  static let saves = [
    Save(name: "emptied and written", script: "cat \"$2\" >\"$1\"", size: 100_000),
    Save(name: "large", script: "cat \"$2\" >\"$1\"", size: 5_000_000),
    Save(
      name: "written in place", script: "dd if=\"$2\" of=\"$1\" conv=notrunc bs=16K status=none",
      size: 300_000),
    Save(
      name: "by a new file", script: "cat \"$2\" >\"$1.tmp\"; mv \"$1.tmp\" \"$1\"", size: 200_000),
    Save(
      name: "by a new file, safely",
      script: "dd if=\"$2\" of=\".$1.swp\" conv=fsync bs=64K status=none; mv \".$1.swp\" \"$1\"",
      size: 1_000_000),
    Save(
      name: "as Emacs does",
      script: """
        ln -s user@host.1 ".#$1"; cat "$2" >"#$1#"; [ ! -e "$1" ] || cp "$1" "$1~"
        cat "$2" >"$1"; rm -f ".#$1" "#$1#" "$1~"
        """, size: 50_000),
    Save(
      name: "as Vim does",
      script: """
        : >"4913"; rm 4913; [ ! -e "$1" ] || mv "$1" "$1~"
        cat "$2" >"$1"; sync "$1"; rm -f "$1~"
        """, size: 50_000, isKept: false),
    Save(
      name: "in two steps",
      script:
        "head -c 9000 \"$2\" >\"$1.part\"; tail -c +9001 \"$2\" >>\"$1.part\"; mv \"$1.part\" \"$1\"",
      size: 70_000),
  ]

  /// semantics: "Whoever looks at the cloud while programs save on a drive sees under each name the whole old or the whole new content, never an empty stand-in, never a conflict copy, and no temporary name that was given up before its upload was due."
  /// semantics: "A document that is saved in place, or by a new file in a profile that keeps the identity then, is never missing in the cloud meanwhile."
  @Test(.timeLimit(.minutes(15)), arguments: ["icloud", "local"])
  func `whoever watches the cloud sees whole documents only`(profile: String) throws {
    let drive = try MountedDrive(profile, options: ["--clock", "manual"])
    let known = Locked<Set<String>>([])
    let isDelayed = profile != "local"
    let observer = FolderObserver(drive.cloud) { seen in
      Self.complaints(seen, known, isDelayed: isDelayed)
    }
    for round in 1...4 {
      for (index, save) in Self.saves.enumerated() {
        let version = Version(round * 20 + index, size: save.size)
        let file = drive.folder + "/version"
        try Data(version.bytes).write(to: URL(filePath: file))
        let ended = try drive.run(
          "sh", "-ec", "cd \"$0\"; \(save.script)", drive.mountpoint, save.name, file)
        #expect(ended.status == 0, "\(save.name): \(ended)")
      }
      // The next saves meet these uploads on their way, but for every second round.
      try drive.world().advanceClock(by: .seconds(1))
      if round % 2 == 0 { try drive.awaitUploads(isAdvancing: true) }
    }
    let (looks, complaints) = observer.finish()
    #expect(Array(complaints.prefix(5)) == [])
    #expect(looks > 4)
    #expect(try drive.cloudTree() == drive.tree())
    #expect(try drive.cloudTree().entries.keys.sorted() == Self.saves.map(\.name).sorted())
    #expect(try drive.unmount().status == 0)
  }

  /// - Parameters:
  ///   - known: the names that were seen.
  ///   - isDelayed: whether temporary names are gone before they are due.
  private static func complaints(
    _ seen: [FolderObserver.Seen], _ known: Locked<Set<String>>, isDelayed: Bool
  ) -> [String] {
    var complaints: [String] = []
    for file in seen {
      guard let save = saves.first(where: { $0.name == file.name }) else {
        if isDelayed { complaints.append("there is \(file.name)") }
        continue
      }
      if file.links > 1 { complaints.append("\(file.name) has \(file.links) names") }
      guard let bytes = file.bytes else { continue }
      if !isWhole(bytes, of: save) { complaints.append("\(file.name) has \(bytes.count) bytes") }
    }
    let names = Set(seen.map(\.name))
    let missing = known.withLock { known in
      defer { known.formUnion(names) }
      return known.subtracting(names)
    }
    for save in saves where save.isKept && isDelayed && missing.contains(save.name) {
      complaints.append("\(save.name) is missing")
    }
    return complaints
  }

  private static func isWhole(_ bytes: [UInt8], of save: Save) -> Bool {
    guard bytes.count == save.size, let number = Int(String(decoding: bytes[..<6], as: UTF8.self))
    else { return false }
    return Data(bytes) == Data(Version(number, size: save.size).bytes)
  }
}
