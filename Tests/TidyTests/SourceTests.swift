import Foundation
import Testing

/// Rules about the code that neither the compiler nor the formatter knows.
@Suite struct SourceTests {
  /// A rule that a line of code can break.
  struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    let pattern: String
    /// Where the rule does not hold, and why.
    let exceptions: [String: String]
    var testDescription: String { name }
  }

  static let everywhere = [
    Rule(
      name: "Tasks run on the worker pool: use WorkerPool.run, or a child of a task",
      pattern: #"\bTask\s*(\{|\(|\.detached|\.init)"#,
      exceptions: ["Sources/Platform/WorkerPool.swift": "starts them"]),
    Rule(
      name: "The one lock is Platform.Locked; atomics are for counters and flags of the binding",
      pattern: #"import Synchronization"#,
      exceptions: [
        "Sources/Platform/Locked.swift": "wraps the mutex",
        "Sources/Fuse/Replies/ReplySlot.swift": "a flag",
        "Sources/Fuse/Session/Negotiation.swift": "a flag",
        "Sources/Fuse/Session/Reader.swift": "a counter",
        "Sources/Fuse/Session/SessionCore.swift": "a flag",
      ]),
    Rule(
      name: "Nothing is left for later", pattern: #"\b(TODO|FIXME|fatalError\()"#,
      exceptions: [:]),
  ]

  @Test(arguments: everywhere) func aRuleHolds(_ rule: Rule) throws {
    try expect(rule, in: Repository.sources)
    // An exception that is not needed any more would hide a later mistake.
    for path in rule.exceptions.keys {
      let file = try #require(Repository.file(path), "\(path) is excepted, and is not there")
      #expect(
        file.text.contains(try Regex(rule.pattern)), "\(path) is excepted, and keeps the rule")
    }
  }

  @Test func testsDoNotSleep() throws {
    let rule = Rule(
      name: "Wait for what happens: a gate, the ledger, the manual clock, the end of a program",
      pattern:
        #"\b(usleep|nanosleep|Thread\.sleep|Task\.sleep)\b|[^.a-zA-Z]sleep\(|[;&|"] *sleep [0-9.]"#,
      exceptions: ["Tests/CatalogTests/CrashTests.swift": "kills at moments that nothing marks"])
    try expect(rule, in: Repository.swift.filter { $0.path.hasPrefix("Tests/") })
  }

  private func expect(_ rule: Rule, in files: [Repository.File]) throws {
    let pattern = try Regex(rule.pattern)
    for file in files where rule.exceptions[file.path] == nil && file.name != "SourceTests.swift" {
      for (number, line) in file.lines.enumerated() where line.contains(pattern) {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//") else { continue }
        Issue.record("\(file.path):\(number + 1): \(rule.name): \(code)")
      }
    }
  }

  @Test func noFileIsLongerThan400Lines() {
    for file in Repository.swift where file.lines.count > 401 {
      Issue.record("\(file.path) has \(file.lines.count - 1) lines; split it")
    }
  }
}
