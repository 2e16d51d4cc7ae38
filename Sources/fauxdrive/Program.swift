internal import Daemon
internal import Glibc
internal import Options
internal import Platform

/// The program `fauxdrive`.
@main
struct Program {
  static func main() {
    if CommandLine.arguments.dropFirst().first == DaemonProcess.word {
      exit(DaemonProcess.serve().rawValue)
    }
    let output = Terminal(descriptor: 1)
    let errors = Terminal(descriptor: 2)
    if let words = MountHelper.words(of: CommandLine.arguments) {
      exit(MountHelper.run(words, output, errors).rawValue)
    }
    let code =
      switch Commands.tree.parse(
        Array(CommandLine.arguments.dropFirst()), output: output, errors: errors)
      {
      case .finished(let code): code
      case .run(let invocation):
        Commands.run(invocation, Console(output: output, errors: errors))
      }
    exit(code.rawValue)
  }
}
