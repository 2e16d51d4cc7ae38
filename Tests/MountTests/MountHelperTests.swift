import Foundation
import MountKit
import Testing

/// Drives that mount(8) mounts.
@Suite(
  .enabled(if: UserSpace.isPossible, "needs root for mount(8), and /dev/fuse"),
  .timeLimit(.minutes(15)))
struct MountHelperTests {
  /// Runs a shell script as root in namespaces of its own, where mount(8) finds the built program as
  /// its helper, `$D` is a folder with the documents of a cloud, and `expect STATUS TEXT COMMAND...`
  /// tells what is not so. All that it starts and mounts ends with it.
  private static func run(_ script: String, withHelper: Bool = true) throws -> TestProgram.Ended {
    let drive = try MountedDrive("icloud", cloud: ["a": Array("hello".utf8)], mounting: false)
    let links = "mount.fauxdrive mount.fuse.fauxdrive"
    let setUp = """
      set -u; D=\(drive.folder); cd $D; chmod 0755 .; mkdir sbin lib "with space"
      for name in \(withHelper ? links : ""); do ln -s \(MountedDrive.program) sbin/$name; done
      ln -s \(MountedDrive.program) sbin/fauxdrive
      mount -t overlay -o lowerdir=$D/sbin:/usr/sbin overlay /usr/sbin
      mount --bind lib /var/lib
      >fstab; mount --bind fstab /etc/fstab
      # The mounts of other tests are seen here as well.
      drives() { grep "$D/.* fuse.fauxdrive" /proc/mounts; }
      expect() {
        status=$1 text=$2; shift 2; got=0
        "$@" >output 2>&1 || got=$?
        [ $got -eq $status ] && { [ -z "$text" ] || grep -qe "$text" output; } ||
          echo "'$*' ends with $got, not $status: $(cat output)"
      }
      """
    return try TestProgram.run(
      [
        "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c",
        setUp + "\n" + script,
      ],
      environment: ["HOME": drive.folder, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"])
  }

  private static func expectNothingElse(_ ended: TestProgram.Ended) {
    #expect(ended.status == 0 && ended.output.isEmpty && ended.errors.isEmpty, "\(ended)")
  }

  /// semantics: "`mount -t fuse.fauxdrive CLOUD MOUNTPOINT -o OPTIONS` mounts a drive; the options are those of `fauxdrive mount`, and their names those that mount(8) knows, such as `ro` and `allow_other`."
  @Test func `mount mounts a drive`() throws {
    Self.expectNothingElse(
      try Self.run(
        """
        expect 0 '' mount -t fuse.fauxdrive copy:cloud Drive -o profile=synology,clock=manual,audit
        expect 0 'profile .*synology' fauxdrive status Drive
        expect 0 'clock .*manual' fauxdrive status Drive
        expect 0 'audited' fauxdrive status Drive
        expect 0 "$D/cloud" fauxdrive status Drive
        expect 32 'is mounted on' mount -t fauxdrive copy:cloud Drive
        source=$(drives | cut -d ' ' -f 1)
        expect 0 '' umount Drive
        expect 0 '' flock -w 60 lib/fauxdrive/*/lock true
        # The world goes on, also when it is named as the kernel has shown it.
        expect 0 '' mount -t fauxdrive "$source" Drive
        expect 0 'profile .*synology' fauxdrive status Drive
        expect 0 '' umount Drive
        expect 0 '' flock -w 60 lib/fauxdrive/*/lock true
        expect 0 '' mount -t fauxdrive none Drive
        expect 0 'clock .*manual' fauxdrive status Drive
        # Another device of a world that runs.
        expect 0 '' mount -t fauxdrive none "with space" \
          -o "world=$D/lib/fauxdrive/$(ls lib/fauxdrive),device=laptop,ro"
        expect 0 'laptop' fauxdrive device list --world Drive
        expect 1 'Read-only file system' touch "with space/new"
        expect 0 '' umount "with space"
        expect 0 '' fauxdrive unmount Drive --remove-world
        expect 0 'is mounted' mount -v -t fauxdrive memory: "with space" -o "world=$D/w\\,1"
        expect 0 '' test -e "$D/w,1/settings.json"
        expect 0 '' fauxdrive unmount "with space"
        expect 0 '' mount -f -t fauxdrive memory: Drive
        expect 1 '' drives
        """))
  }

  /// semantics: "A line of /etc/fstab with the type `fuse.fauxdrive` mounts a drive, for a user with `setuid=USER`; `noauto`, `user`, `nofail`, `_netdev` and `x-...` mean there what they always mean."
  @Test func `a line of fstab mounts a drive`() throws {
    Self.expectNothingElse(
      try Self.run(
        """
        cat >fstab <<END
        copy:$D/cloud $D/Drive fuse.fauxdrive profile=onedrive,_netdev,nofail,x-systemd.automount 0 0
        memory: $D/with\\040space fuse.fauxdrive noauto,user,world=$D/lib/other 0 0
        copy:$D/none $D/lib/nowhere fuse.fauxdrive noauto,nofail 0 0
        copy:$D/cloud $D/lib/user fuse.fauxdrive noauto,setuid=ann 0 0
        memory: $D/lib/own fuse.fauxdrive noauto,user 0 0
        END
        expect 0 '' mount -a
        expect 0 'profile .*onedrive' fauxdrive status Drive
        expect 32 'does not exist' mount lib/nowhere
        expect 0 '' mount "with space"
        expect 0 'noexec' grep -F with /proc/mounts
        expect 0 '' umount "with space"
        expect 0 '' umount Drive
        mknod -m 0666 fuse c 10 229; mount --bind fuse /dev/fuse
        cp /etc/passwd passwd; echo "ann:x:12345:12345::$D/home:/bin/sh" >>passwd
        mount --bind passwd /etc/passwd
        mkdir home lib/user lib/own; chown ann home lib/user lib/own; chmod 0755 lib
        ann="setpriv --reuid 12345 --regid 12345 --clear-groups"
        expect 0 '' mount lib/user
        expect 0 "$D/home/.local/state.*user_id=12345" grep lib/user /proc/mounts
        expect 2 'Permission denied' ls lib/user
        expect 0 '^a$' $ann ls $D/lib/user
        expect 0 '' umount lib/user
        expect 0 '' $ann mount $D/lib/own
        expect 0 "$D/home/.local/state.*noexec.*user_id=12345" grep lib/own /proc/mounts
        expect 32 'only root may remount' $ann mount.fauxdrive none $D/lib/own -o remount,ro
        expect 0 '' $ann umount $D/lib/own
        expect 1 '' drives
        expect 32 "there is no user 'nix' for setuid=" mount -t fauxdrive memory: Drive -o setuid=nix
        """))
  }

  /// semantics: "A remount changes `ro`, `rw`, `exec` and `noexec`, and refuses what else it would have to change."
  /// semantics: "On a drive that is mounted read-only every change fails with EROFS, and documents download as ever."
  @Test func `a remount changes what it can`() throws {
    Self.expectNothingElse(
      try Self.run(
        """
        expect 0 '' mount -t fuse.fauxdrive copy:cloud Drive -o ro,noexec,profile=icloud
        expect 0 'ro,nosuid,nodev,noexec' drives
        expect 1 'Read-only file system' touch Drive/new
        expect 1 'Read-only file system' rm -f Drive/a
        expect 0 'hello' cat Drive/a
        expect 0 '' mount -o remount,rw,exec Drive
        expect 0 'rw,nosuid,nodev,rel' drives
        expect 0 '' touch Drive/new
        expect 0 '' mount -o remount,ro,profile=icloud Drive
        expect 1 'Read-only file system' touch Drive/newer
        expect 32 "cannot change 'profile', which is 'icloud' here" mount -o remount,rw,profile=local Drive
        expect 32 "cannot change 'seed', which is 0 here" mount -o remount,rw,seed=1 Drive
        expect 1 'Read-only file system' touch Drive/newer
        expect 0 '' umount Drive
        expect 32 '' mount -o remount,ro Drive
        expect 32 'is not on a FauxDrive mount' mount.fauxdrive none Drive -o remount,ro
        expect 0 '' flock -w 60 lib/fauxdrive/*/lock true
        expect 0 '' fauxdrive mount Drive --read-only --cloud memory: --world $D/w
        expect 1 'Read-only file system' touch Drive/new
        expect 0 '' fauxdrive unmount Drive
        """))
  }

  /// semantics: "`mount.fuse3 fauxdrive#CLOUD MOUNTPOINT -o OPTIONS` mounts a drive as mount(8) does, and mount(8) needs no helper but that."
  @Test func `mount works without the helper, through mount.fuse3`() throws {
    Self.expectNothingElse(
      try Self.run(
        """
        expect 0 '' mount.fuse3 fauxdrive#copy:cloud Drive -o profile=synology,allow_other,nofail
        expect 0 'profile .*synology' fauxdrive status Drive
        expect 0 '' umount Drive
        expect 0 '' flock -w 60 lib/fauxdrive/*/lock true
        expect 0 '' mount -t fuse.fauxdrive none Drive -o ro
        expect 0 'profile .*synology' fauxdrive status Drive
        expect 0 '' umount Drive
        expect 1 "no mount option 'profil'" mount -t fuse.fauxdrive none Drive -o profil=x
        """, withHelper: false))
  }

  /// semantics: "What mount(8) cannot mount ends it with 1 for a wrong option and 32 for all else, and a sentence that says why."
  @Test func `every mistake is told in a sentence, with the status of mount`() throws {
    Self.expectNothingElse(
      try Self.run(
        """
        expect 1 "^mount.fauxdrive: there is no mount option 'profil'; did you mean 'profile'?$" \
          mount -t fuse.fauxdrive memory: Drive -o profil=icloud
        expect 1 'needs a value: world=DIR' mount -t fauxdrive memory: Drive -o world
        expect 1 "^mount.fauxdrive: seed: 'x' is not a whole" mount -t fauxdrive memory: Drive -o seed=x
        expect 1 'the source must be a cloud' mount -t fauxdrive none Drive
        expect 32 "cloud's folder '/nowhere' does not exist" mount -t fauxdrive copy:/nowhere Drive
        expect 32 'did you mean .synology' mount -t fauxdrive memory: Drive -o profile=synolgy
        expect 32 'does not exist; make it' mount.fauxdrive memory: nowhere
        expect 1 'MOUNTPOINT is missing' mount.fauxdrive memory:
        expect 0 '' mount -s -t fauxdrive memory: Drive -o frobnicate
        expect 0 '' umount Drive
        expect 0 'Mount options:' mount.fauxdrive --help
        mount -t tmpfs none /dev; mknod -m 0666 /dev/null c 1 3
        expect 32 '^mount.fauxdrive: /dev/fuse does not exist; load' mount -t fauxdrive memory: Drive
        expect 69 '/dev/fuse does not exist' fauxdrive mount Drive --cloud memory:
        """))
  }
}
