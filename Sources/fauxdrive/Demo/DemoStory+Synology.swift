extension DemoStory {
  /// A provider that answers the first question with no, and starts the download meanwhile.
  static let synology = DemoStory(
    profile: "synology",
    introduction: "A document is listed, but the question whether it exists is answered with no.",
    steps: listing + launches + otherPrograms + offline + [repository, account, unmount])

  static let unmount = DemoStep(
    "fauxdrive unmount Drive --remove-world", says: [],
    shows: "The drive and its world are gone. The documents were copied, and never touched.")

  private static let game = "/Game.plist"

  private static let listing = [
    DemoStep(
      "ls -l Documents", says: ["Game.plist", "Notes", "Photo.bmp"],
      shows: "A saved game, a photo, and a git repository."),
    DemoStep(
      "fauxdrive mount Drive --cloud copy:Documents --profile synology --clock manual",
      says: ["Drive is mounted"],
      shows: "A copy of them is now the cloud of this drive. Its time passes only when told to."),
    DemoStep(
      "ls Drive", says: ["^Game.plist\nNotes\nPhoto.bmp\n$"], shows: "All of it is listed ..."),
    DemoStep(
      "fauxdrive ls Drive", says: ["not here +[0-9]+ B  Game.plist", "not here +.*Photo.bmp"],
      shows: "... and nothing of it is on this device."),
  ]

  private static let launches = [
    DemoStep(
      "ReopenLast remember Drive/Game.plist", says: [],
      shows: "An app, written with Foundation alone, keeps the URL of its last document."),
    DemoStep(
      "ReopenLast launch --reachable", .failure,
      says: ["checkResourceIsReachable.*failed", "Not opened"], then: .download(game),
      shows: "First launch: the check alone says no. But the question has started a download."),
    DemoStep(
      "fauxdrive ls Drive", says: ["\nhere +[0-9]+ B  Game.plist"],
      shows: "The document has come, after the app had given up."),
    DemoStep(
      "fauxdrive clock advance Drive 31s", then: .eviction(game),
      shows: "Nobody has opened it for 30 seconds, so the drive drops it again."),
    DemoStep(
      "ReopenLast launch --reachable", .failure,
      says: ["checkResourceIsReachable.*failed", "Not opened"], then: .download(game),
      shows: "Second launch: the same. The check alone fails at every launch."),
    DemoStep(
      "fauxdrive clock advance Drive 31s", then: .eviction(game),
      shows: "Once more, the drive drops what nobody has opened."),
    DemoStep(
      "ReopenLast launch --exists-first",
      says: ["fileExists.*false", "checkResourceIsReachable.*true", "Opened 'Harbour Lights'"],
      then: .download(game),
      shows: "Asking fileExists first gets a no, too. But then the check waits, and it opens."),
    DemoStep(
      "fauxdrive evict Drive/Game.plist", says: ["not here"],
      shows: "Drops the document from this device; it stays listed."),
    DemoStep(
      "ReopenLast launch --unchecked", says: ["Opened 'Harbour Lights'"], then: .download(game),
      shows: "Without any check it opens at once: opening waits for the download."),
  ]

  private static let otherPrograms = [
    DemoStep(
      "test -e Drive/Photo.bmp", .failure, says: [], then: .download("/Photo.bmp"),
      shows: "Every program meets this. The shell asks for the photo and gets a no ..."),
    DemoStep(
      "stat -c '%n: %s bytes' Drive/Photo.bmp", says: ["Photo.bmp: 3686454 bytes"],
      shows: "... and who asks next, gets a yes ..."),
    DemoStep(
      "cmp Documents/Photo.bmp Drive/Photo.bmp", says: [], shows: "... and the very same bytes."),
    DemoStep(
      "fauxdrive evict Drive/Game.plist Drive/Photo.bmp", says: ["not here +.*Photo.bmp"],
      shows: "Drops both."),
    DemoStep(
      "python3 -c 'import os; print(os.path.exists(\"Drive/Game.plist\"))'", says: ["False"],
      then: .download(game), shows: "The same in Python ..."),
    DemoStep(
      "python3 -c 'import plistlib; print(plistlib.load(open(\"Drive/Game.plist\", \"rb\")))'",
      says: ["Harbour Lights"], shows: "... and a program that just opens it, reads it."),
    DemoStep(
      "cat Drive/Notes/README", says: ["Notes on harbours"],
      then: .download("/Notes/README"), shows: "So does cat, which asks nothing either."),
  ]

  private static let offline = [
    DemoStep(
      "fauxdrive evict Drive/Game.plist", says: ["not here"], shows: "Drops it, and then ..."),
    DemoStep(
      "fauxdrive network offline Drive", says: ["offline"],
      shows: "... the cloud cannot be reached any more."),
    DemoStep("ls Drive", says: ["Game.plist"], shows: "Everything is still listed ..."),
    DemoStep(
      "cat Drive/Game.plist", .failure, says: ["No such file or directory"],
      shows: "... but nothing can be opened: such a provider says that it does not exist."),
    DemoStep(
      "ReopenLast launch --exists-first", .failure,
      says: ["fileExists.*false", "checkResourceIsReachable.*failed", "Not opened"],
      shows: "No order of questions helps."),
    DemoStep("fauxdrive network online Drive", says: ["online"], shows: "Back in the network."),
  ]

  private static let repository = DemoStep(
    "git -C Drive/Notes status", .failure, says: ["not a git repository"],
    then: .download("/Notes/.git/HEAD"),
    shows: "Git asks for .git/HEAD, gets a no, and sees no repository: a trap of such drives.")

  private static let account = DemoStep(
    "fauxdrive ledger Drive/Game.plist",
    says: [
      "stat /Game.plist: missing, starts content \\(ReopenLast [0-9]+\\)",
      "transfer /Game.plist: completed, [0-9]+ bytes, caused by #[0-9]+",
      "eviction /Game.plist: completed, unclaimed",
    ],
    shows: "The ledger knows who asked for the document, and what that started.")
}
