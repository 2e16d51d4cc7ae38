import Control
import DriveClient
import Foundation
import Ledger
import MountKit
import Testing

/// Real programs that write, each on a drive of its own; afterwards the cloud is what the drive is.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct ProgramTests {
  struct Work: Sendable, CustomTestStringConvertible {
    let name: String
    /// Runs in the mount, with `set -e`; calls `step` here and there; `$1` is a folder elsewhere, `$2` what a mail's flags follow.
    let script: String
    var testDescription: String { name }
  }

  /// semantics: "What a program has closed reaches the cloud; the cloud then holds exactly what the drive shows."
  /// semantics: "git, SQLite, rsync, tar, zip, a compiler and editors work on a drive as on a disk."
  @Test(.timeLimit(.minutes(15)), arguments: works, ["local", "icloud", "synology"])
  func `a program works on a drive as on a disk`(_ work: Work, _ profile: String) throws {
    try run(work, on: MountedDrive(profile, options: []), step: ":")
  }

  /// semantics: "They do so too where what they have written is evicted again and again."
  @Test(.timeLimit(.minutes(15)), arguments: works)
  func `a program works although all that is in the cloud is evicted between its steps`(
    _ work: Work
  ) throws {
    let drive = try MountedDrive("icloud", options: [])
    let all = "find '\(drive.mountpoint)' -type f -exec '\(MountedDrive.program)' evict {} +"
    let pending =
      "getfattr --absolute-names --only-values -n user.fauxdrive.pending '\(drive.mountpoint)'"
    try run(
      work, on: drive,
      step: "until test \"$(\(pending))\" = 0; do :; done; \(all) >\"$1/out\" 2>&1 || :")
  }

  private func run(_ work: Work, on drive: MountedDrive, step: String) throws {
    let profile = try drive.world().devices()[0].profile
    let elsewhere = drive.folder + "/elsewhere"
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    // Some accounts take no colon; mail programs then use another character.
    let flags = profile == "synology" ? ";" : ":"
    let ended = try drive.run(
      "sh", "-c", "cd \"$0\" && set -e; step() { \(step); }; \(work.script)", drive.mountpoint,
      elsewhere, flags)
    #expect(ended.status == 0, "\(ended)")
    try drive.awaitUploads()
    let difference = try drive.run(
      "diff", "-r", "--no-dereference", drive.mountpoint, drive.cloud)
    #expect(difference.status == 0, "\(difference)")
    let evictions = try drive.world().records(LedgerFilter(kinds: [.eviction]))
    #expect(evictions.isEmpty == (step == ":"), "\(evictions.map(\.line))")
    #expect(try drive.unmount().status == 0)
  }

  static let works = [
    Work(
      name: "git",
      script: """
        git init -q a; cd a; git config user.email a@b; git config user.name a
        for i in 1 2 3; do echo $i >f$i; git add .; git commit -qm $i; done
        step; git gc -q; step; git fsck --strict; test -z "$(git status --porcelain)"
        cd ..; step; git clone -q a b; step; git -C b fsck; echo more >>b/f1; git -C b -c user.email=a@b -c user.name=a commit -qam more
        step; git -C a pull -q ../b HEAD; step; grep -q more a/f1
        """),
    Work(
      name: "SQLite in both modes, several processes",
      script: """
        cat >"$1/s.py" <<'P'
        import sqlite3, sys
        d = sqlite3.connect(sys.argv[1], timeout=60); d.execute('pragma journal_mode=' + sys.argv[2])
        d.execute('create table if not exists t(n integer)')
        for n in range(25):
            with d: d.execute('insert into t values(?)', (n,))
        P
        for mode in wal delete; do
          python3 "$1/s.py" $mode.db $mode; step
          for i in 1 2; do python3 "$1/s.py" $mode.db $mode & done; wait; step
          python3 -c "import sqlite3,sys; d=sqlite3.connect('$mode.db'); assert d.execute('select count(*) from t').fetchone()==(75,); assert d.execute('pragma integrity_check').fetchone()==('ok',)"
        done
        """),
    Work(
      name: "rsync twice",
      script: """
        mkdir -p "$1/s/d"; for i in 1 2 3; do seq $i 5000 >"$1/s/d/f$i"; done
        ln -s d/f1 "$1/s/link"; touch -d 2001-02-03 "$1/s/d/f2"; chmod 600 "$1/s/d/f3"
        rsync -a "$1/s/" t; step; test -z "$(rsync -ai "$1/s/" t)"; diff -r --no-dereference "$1/s" t
        """),
    Work(
      name: "tar, cp -a, mv and zip",
      script: """
        mkdir -p "$1/s/d"; for i in 1 2 3; do seq $i 3000 >"$1/s/d/f$i"; done; chmod 640 "$1/s/d/f1"
        truncate -s 5M "$1/s/sparse"; echo end >>"$1/s/sparse"
        tar -C "$1" -cf - s | tar -xf -; step; diff -r s "$1/s"; step; tar -cf s.tar s; step; tar -df s.tar
        tar --sparse -cf sparse.tar s; step; mkdir x; tar -C x -xf sparse.tar; diff -r s x/s
        step; cp -a s copy; step; diff -r s copy; mkdir y; step; mv copy y/moved; step; diff -r s y/moved
        step; mv y/moved "$1/out"; diff -r s "$1/out"; mv "$1/out" back; diff -r s back
        step; zip -qr a.zip s; step; mkdir z; cd z; unzip -q ../a.zip; diff -r s ../s
        """),
    Work(
      name: "a compiler",
      script: """
        printf '#include "b.h"\\nint main(void){return f()-7;}\\n' >a.c
        printf 'int f(void);\\n' >b.h; printf 'int f(void){return 7;}\\n' >b.c
        step; gcc -c a.c; gcc -c b.c; step; gcc -o prog a.o b.o; step; ./prog; ar rc lib.a b.o; step; gcc -o prog2 a.c lib.a; ./prog2
        """),
    Work(
      name: "editors and mail",
      script: """
        echo one >doc; step; vim.tiny -u NONE -es -c 's/one/two/' -c wq doc; grep -q two doc
        step; echo three >'#doc#'; step; cp -p doc doc~; ln -s user@host.1 '.#doc'; cat '#doc#' >doc; rm '#doc#' '.#doc'
        echo lock >'.~lock.doc#'; echo four >lu1.tmp; step; mv lu1.tmp doc; step; rm '.~lock.doc#'; grep -q four doc
        mkdir -p m/tmp m/new m/cur; for i in 1 2 3; do echo mail $i >m/tmp/$i.host; mv m/tmp/$i.host m/new/; done
        step; mv m/new/1.host "m/cur/1.host$2"2,S; test "$(ls m/new | wc -l)" = 2
        """),
  ]
}
