import Glibc
import Platform

/// A child process that lives until `end`.
struct Child {
  let process: pid_t

  init(_ arguments: String...) throws {
    var process = pid_t()
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    let result = posix_spawn(&process, arguments[0], nil, nil, &argv, environ)
    guard result == 0 else { throw Errno(rawValue: result) }
    self.process = process
  }

  /// Kills it, if it still runs, and waits for it.
  func end() {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }
}
