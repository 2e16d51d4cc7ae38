import Foundation
import Glibc

/// Starts a program with streams of its own, no signal blocked and none ignored.
struct Spawning {
  /// Nil for /dev/null.
  var standardInput: CInt?
  var output: CInt
  var errors: CInt

  init(standardInput: CInt? = nil, output: CInt, errors: CInt) {
    self.standardInput = standardInput
    self.output = output
    self.errors = errors
  }

  /// Returns the process number; `environment` is added to this process's.
  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let standardInput {
      posix_spawn_file_actions_adddup2(&actions, standardInput, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The test runner may have signals blocked or ignored; programs shall start with none.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var variables = ProcessInfo.processInfo.environment
    // A program that a signal ends shall end at once.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    variables.merge(environment) { _, new in new }
    let argv = CStrings(arguments)
    let envp = CStrings(variables.map { "\($0)=\($1)" })
    var process = pid_t()
    let result = posix_spawnp(&process, arguments[0], &actions, &attributes, argv.list, envp.list)
    guard result == 0 else {
      throw TestFailure("\(arguments[0]) cannot be started: \(String(cString: strerror(result)))")
    }
    return process
  }
}

private final class CStrings {
  let list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    list = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { list[index] = strdup(string) }
    list[count] = nil
  }

  deinit {
    for index in 0..<count { free(list[index]) }
    list.deallocate()
  }
}
