import Foundation
import Testing

/// A shell that completes command lines, as somebody types them.
struct ShellSession {
  private static let folders = ["/usr/bin", "/bin", "/usr/local/bin"]

  /// Whether a shell is installed.
  static func isInstalled(_ shell: String) -> Bool {
    folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)") }
  }

  /// Runs a shell command in a folder, where `fauxdrive` is the built program.
  static func run(_ command: String, in folder: String) throws -> String {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let programs = (tests as NSString).deletingLastPathComponent
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = [
      "PATH": programs + ":" + folders.joined(separator: ":"), "HOME": folder, "TERM": "dumb",
      "LC_ALL": "C.UTF-8", "ZDOTDIR": folder,
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  /// What an interactive shell runs when these lines are typed: for each the words of the command, in
  /// which `fauxdrive` tells its arguments.
  ///
  /// - Parameters:
  ///   - start: the command line of the shell, which shows "@@ " as its prompt.
  ///   - key: what is typed behind each line.
  static func type(
    _ lines: [String], behind key: String, to start: String, in folder: String
  ) throws -> [[String]] {
    let request = try JSONSerialization.data(withJSONObject: ["lines": lines, "key": key])
    try request.write(to: URL(filePath: folder + "/typed.json"))
    try typist.write(toFile: folder + "/type.py", atomically: true, encoding: .utf8)
    let output = try run("exec python3 type.py \(start)", in: folder)
    let answers = try? JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String]
    return try #require(answers, "\(output)").map { answer in
      answer.matches(of: #/<([^<>]*)>/#).map { String($0.1) }
    }
  }

  /// Types on a terminal of its own, and prints what came behind each line until the next prompt.
  private static let typist = #"""
    import json, os, pty, select, sys
    typed = json.load(open("typed.json"))
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    seen = b""
    def until_prompt():
        global seen
        while b"@@ " not in seen:
            if not select.select([terminal], [], [], 60)[0]:
                sys.exit("no prompt within a minute: " + repr(seen))
            seen += os.read(terminal, 65536)
        answer, seen = seen.split(b"@@ ", 1)
        return answer.decode(errors="replace")
    until_prompt()
    answers = []
    for line in typed["lines"]:
        os.write(terminal, ("fauxdrive " + line + typed["key"] + "\r").encode())
        answers.append(until_prompt())
    print(json.dumps(answers))
    os.close(terminal)
    os.waitpid(process, 0)
    """#
}
