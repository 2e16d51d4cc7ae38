import Foundation
import Glibc
import Testing

/// The program as a user meets it.
@Suite(.timeLimit(.minutes(15))) struct CommandLineTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let status: Int32
    let output: String
    let errors: String
    var testDescription: String { line }

    init(_ line: String, _ status: Int32, output: String = "", errors: String = "") {
      self.line = line
      self.status = status
      self.output = output
      self.errors = errors
    }
  }

  static let cases = [
    Case("", 64, errors: "Usage: fauxdrive [OPTION...] COMMAND"),
    Case("--version", 0, output: "fauxdrive 0."), Case("-V", 0, output: "fauxdrive 0."),
    Case("--vers", 0, output: "fauxdrive 0."),
    Case("--help", 0, output: "  profile     list, show and check profiles"),
    Case("-h", 0, output: "Usage: fauxdrive"), Case("help", 0, output: "Usage: fauxdrive"),
    Case("help profile show", 0, output: "Usage: fauxdrive profile show [OPTION...] PROFILE"),
    Case("help profile shwo", 64, errors: "did you mean 'show'?"),
    Case("profile", 64, errors: "Usage: fauxdrive profile [OPTION...] COMMAND"),
    Case("profile --usage", 0, output: "Usage: fauxdrive profile [OPTION...] COMMAND"),
    Case(
      "profil list", 64,
      errors: "fauxdrive: there is no command 'profil'; did you mean 'profile'?"),
    Case("profile lsit", 64, errors: "fauxdrive profile: there is no command 'lsit'; did you mean"),
    Case(
      "profile quux", 64, errors: "there is no command 'quux'\nTry 'fauxdrive profile --help'"),
    Case("--nonsense", 64, errors: "fauxdrive: unrecognized option '--nonsense'"),
    Case(
      "profile show --nonsense", 64,
      errors: "fauxdrive profile show: unrecognized option '--nonsense'"),
    Case("profile list --json=x", 64, errors: "option '--json' doesn't allow an argument"),
    Case("profile show", 64, errors: "PROFILE is missing"),
    Case("profile show icloud local", 64, errors: "'local' is one argument too many"),
    Case("profile list", 0, output: "icloud-legacy     iCloud Drive (older systems)   A document"),
    Case("profile list --js", 0, output: "\"name\" : \"onedrive\""),
    Case("profile show icloud", 0, output: "  name: \"icloud\","),
    Case("profile show --json icloud", 0, output: "  \"name\": \"icloud\","),
    Case("profile show icloud --dial", 0, output: "read      wait     content   wait       1:00"),
    Case("profile show --dial --json icloud", 0, output: "\"call\" : \"lookup\""),
    Case(
      "profile show iclod", 65,
      errors: "fauxdrive: iclod: is not a built-in profile; did you mean 'icloud'? (allowed:"),
    Case("profile show -- --dial", 65, errors: "--dial: is not a built-in profile"),
    Case("profile check /nowhere.json5", 65, errors: "/nowhere.json5: cannot be read:"),
    Case("profile check --json /nowhere.json5", 65, output: "\"problem\" : \"cannot be read:"),
  ]

  @Test(arguments: cases) func aCommandLineEndsAsDocumented(_ expected: Case) throws {
    let run = try ProgramRun(expected.line.split(separator: " ").map(String.init))
    #expect(run.status == expected.status)
    #expect(
      expected.output.isEmpty ? run.output.isEmpty : run.output.contains(expected.output),
      "\(run.output)")
    #expect(
      expected.errors.isEmpty ? run.errors.isEmpty : run.errors.contains(expected.errors),
      "\(run.errors)")
  }

  @Test func aProfileThatIsShownCanBeCheckedAndAWrongOneIsTold() throws {
    let folder = "/tmp/cli-\(UUID().uuidString)"
    try #require(mkdir(folder, 0o700) == 0)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let shown = try ProgramRun(["profile", "show", "onedrive"]).output
    let good = folder + "/good.json5"
    let bad = folder + "/bad.json5"
    try shown.write(toFile: good, atomically: true, encoding: .utf8)
    try shown.replacing("\"1s\"", with: "\"soon\"", maxReplacements: 1)
      .write(toFile: bad, atomically: true, encoding: .utf8)
    let fine = try ProgramRun(["profile", "check", good])
    #expect(fine.status == 0)
    #expect(
      fine.output.hasPrefix("\(good): ok, profile 'onedrive'\ndoubt: account.renameElsewhere: "))
    let both = try ProgramRun(["profile", "check", bad, good])
    #expect(both.status == 65)
    #expect(both.errors.hasPrefix("\(bad):25:18: account.uploadDelay: 'soon' is not a duration"))
    #expect(both.output.contains("ok"))
  }

  @Test func everyVerbsHelpHasAnExampleAndItsExitStatus() throws {
    for verb in ["list", "show", "check"] {
      let help = try ProgramRun(["profile", verb, "--help"])
      #expect(help.status == 0)
      #expect(help.output.contains("\n  fauxdrive profile \(verb)"))
      #expect(help.output.contains("Exit status:\n  0   success\n  64  wrong command line\n"))
      #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }
}
