import Foundation
import Glibc
import Platform
import Testing

@Suite struct ProgramsTests {
  private let programs = Programs()

  @Test func ourselves() {
    let own = programs.program(of: getpid())
    #expect(own.process == getpid() && own.startTime > 0)
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #expect(own.executable == link)
    #expect(programs.program(of: getpid()) == own)
  }

  @Test func aThreadBelongsToItsProcess() throws {
    let found = Locked<Program?>(nil)
    let started = Threads.start(named: "some") { [programs] in
      // "PID/task/THREAD"
      let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      let number = link?.split(separator: "/").last.flatMap { pid_t($0) }
      found.withLock { $0 = programs.program(of: number ?? 0) }
    }
    Threads.join(try #require(started))
    #expect(found.withLock { $0 } == programs.program(of: getpid()))
  }

  @Test func nobody() {
    #expect(programs.program(of: 0) == .unknown)
    #expect(programs.program(of: -1) == .unknown)
  }

  /// A program that was known before is seen to have run another one, and to have ended.
  @Test func anotherExecutableAndTheEndAreSeen() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "echo first; read line; exec cat"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let number = process.processIdentifier
    #expect(output.fileHandleForReading.availableData == Data("first\n".utf8))
    let shell = programs.program(of: number)
    #expect(shell.process == number && shell.executable.hasSuffix("sh"))
    try input.fileHandleForWriting.write(contentsOf: Data("go\nsecond\n".utf8))
    #expect(output.fileHandleForReading.availableData == Data("second\n".utf8))
    let other = programs.program(of: number)
    #expect(other.executable.hasSuffix("/cat") && other.startTime == shell.startTime)
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(programs.program(of: number) == .unknown)
  }
}
