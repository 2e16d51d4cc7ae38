extension DemoStory {
  /// A provider that shows documents as if they were here, and brings them when they are read.
  static let icloud = DemoStory(
    profile: "icloud",
    introduction: "A document looks as if it were here, and reading it waits for the download.",
    steps: listing + reading + offline + repository + [account, unmount])

  private static let listing = [
    DemoStep(
      "fauxdrive mount Drive --cloud copy:Documents --profile icloud", says: ["Drive is mounted"],
      shows: "The same documents, on a drive that behaves like iCloud Drive."),
    DemoStep(
      "ls -l Drive", says: ["3686454 .* Photo.bmp"],
      shows: "They are listed with their real sizes ..."),
    DemoStep(
      "fauxdrive ls Drive", says: ["not here +[0-9]+ B  Game.plist", "not here +.*Photo.bmp"],
      shows: "... although nothing of them is on this device."),
    DemoStep(
      "test -e Drive/Photo.bmp && stat -c '%n: %s bytes' Drive/Photo.bmp", says: ["3686454 bytes"],
      shows: "Every question is answered with yes ..."),
    DemoStep(
      "fauxdrive ledger --kind transfer Drive", says: [], shows: "... and downloads nothing."),
  ]

  private static let reading = [
    DemoStep(
      "ReopenLast remember Drive/Game.plist", says: [], shows: "The same app keeps its URL."),
    DemoStep(
      "ReopenLast launch --reachable",
      says: ["checkResourceIsReachable.*true", "Opened 'Harbour Lights'"],
      then: .download("/Game.plist"),
      shows: "The check says yes, and opening the document brings it."),
    DemoStep(
      "fauxdrive network set --bandwidth 8M Drive", says: ["MiB/s"],
      shows: "The network becomes slower: eight million bytes a second."),
    DemoStep(
      "head -c 2 Drive/Photo.bmp", says: ["^BM$"], then: .download("/Photo.bmp"),
      shows: "Reading two bytes of the photo waits until all of it is here ..."),
    DemoStep(
      "fauxdrive ledger --class read Drive/Photo.bmp",
      says: ["read /Photo.bmp: present, starts content, .*[0-9]+\\.[0-9]+ s.*\\(head [0-9]+\\)"],
      shows: "... which the ledger tells with the time that the program has waited."),
    DemoStep(
      "cmp Documents/Photo.bmp Drive/Photo.bmp", says: [], shows: "It is the very same photo."),
  ]

  private static let offline = [
    DemoStep(
      "fauxdrive evict Drive/Game.plist Drive/Photo.bmp", says: ["not here +.*Photo.bmp"],
      shows: "Drops both from this device, and then ..."),
    DemoStep(
      "fauxdrive network offline Drive", says: ["offline"],
      shows: "... the cloud cannot be reached any more."),
    DemoStep(
      "ls -l Drive/Game.plist", says: ["Game.plist"], shows: "It still looks as if it were here ..."
    ),
    DemoStep(
      "cat Drive/Game.plist", .failure, says: ["Connection timed out"],
      shows: "... but it cannot be read."),
    DemoStep(
      "ReopenLast launch --exists-first", .failure,
      says: ["fileExists.*true", "checkResourceIsReachable.*true", "Not opened"],
      shows: "Here every check says yes, and only opening tells."),
    DemoStep(
      "fauxdrive network online Drive", says: ["online"], shows: "Back in the network."),
  ]

  private static let repository = [
    DemoStep(
      "git -C Drive/Notes status", says: ["nothing to commit, working tree clean"],
      shows: "A git repository works here: what git reads comes by itself."),
    DemoStep(
      "git -C Drive/Notes log --oneline", says: ["Add the tides\n.*Begin the notes"],
      shows: "Its history is whole."),
  ]

  private static let account = DemoStep(
    "fauxdrive ledger --kind transfer Drive",
    says: [
      "transfer /Photo.bmp: completed, 3686454 bytes, caused by #[0-9]+ \\(head [0-9]+\\)",
      "transfer /Game.plist: failed, caused by #[0-9]+ \\(cat [0-9]+\\)",
      "transfer /Notes/.git/HEAD: completed, .* \\(git [0-9]+\\)",
    ],
    shows: "The ledger knows who has caused each download, and which of them have failed.")
}
