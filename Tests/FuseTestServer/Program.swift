import Fuse
import Glibc
import Platform

/// Serves a small file system until it is unmounted or told to stop.
///
/// `FuseTestServer MOUNTPOINT [passthrough FILE] [kernel6.1]`. It prints `ready` or `error CODE
/// MESSAGE`, then obeys lines on standard input, and prints `ended REASON` before it exits with 0.
@main
enum Program {
  static func main() {
    let signals = TerminationSignals()
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let mountpoint = arguments.first else {
      say("usage: FuseTestServer MOUNTPOINT")
      exit(2)
    }
    serve(mountpoint, Array(arguments.dropFirst()), signals)
  }

  private static func serve(
    _ mountpoint: String, _ settings: [String], _ signals: TerminationSignals
  ) {
    let files = MemoryFiles()
    if let place = settings.firstIndex(of: "passthrough"), settings.count > place + 1 {
      files.back(withFile: settings[place + 1])
    }
    var options = Session.Options()
    if settings.contains("kernel6.1") { options.assumedKernel = .linux6_1 }
    let session = Session(
      operations: files, notifier: files.notifier, passthrough: files.passthrough, options: options)
    var mountOptions = MountOptions(source: "test server", subtype: "fusetest")
    mountOptions.allowsOtherUsers = geteuid() == 0
    do throws(FuseError) {
      try session.mount(at: mountpoint, mountOptions)
    } catch {
      say("error \(error.code) \(error.message)")
      exit(1)
    }
    signals.handle { _ in session.stop() }
    session.whenEnded { reason in
      say("ended \(reason)")
      exit(0)
    }
    say("ready")
    obey(files, session)
  }

  private static func obey(_ files: MemoryFiles, _ session: Session) {
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 2).map { String($0) }
      switch (words.first, words.count) {
      case ("text", 3): files.setText(words[2], of: words[1])
      case ("invalidate", 2): files.invalidate(words[1])
      case ("release", 1): files.release()
      case ("threads", 1): say("threads \(threadCount())")
      default: say("unknown \(line)")
      }
    }
    // The test is gone.
    session.stop()
    session.waitUntilEnded()
    while true { pause() }
  }

  private static func threadCount() -> Int {
    guard let directory = opendir("/proc/self/task") else { return 0 }
    defer { closedir(directory) }
    var count = -2
    while readdir(directory) != nil { count += 1 }
    return count
  }
}
