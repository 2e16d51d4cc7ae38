import Fuse
import Glibc
import Platform
import Testing

@Suite(
  "A mount", .serialized, .timeLimit(.minutes(15)),
  .enabled(if: ServedMount.isPossible, "needs /dev/fuse and root"))
struct MountTests {
  private func output(_ command: String) throws -> String {
    let (status, output) = try TestProcess.shell(command)
    #expect(status == 0, "\(command): \(output)")
    return output
  }

  @Test("shows, lists and reads its files")
  func basics() throws {
    let mount = try ServedMount()
    #expect(try output("ls -A \(mount.path)") == "backed\nfolder\nhello\nlink\nslow\n")
    #expect(
      try output("cat \(mount.path)/hello \(mount.path)/link") == "hello, world\nhello, world\n")
    #expect(try output("stat -c '%s %i %F' \(mount.path)/hello") == "13 16 regular file\n")
    #expect(try output("ls -l \(mount.path)/folder | wc -l") == "1001\n")
    #expect(try output("cat \(mount.path)/none 2>&1 || true").contains("No such file"))
    let entry = try #require(MountTable.current().last { $0.mountpoint == mount.path })
    #expect(entry.type == "fuse.fusetest")
    #expect(entry.source == "test server")
    #expect(entry.health() == .serving)
    #expect(MountTable.fuseMounts(subtype: "fusetest").contains(entry))
  }

  @Test("shows extended attributes")
  func extendedAttributes() throws {
    let mount = try ServedMount()
    let script = """
      import os
      p = '\(mount.path)/hello'
      print(os.listxattr(p), os.getxattr(p, 'user.color'))
      try: os.getxattr(p, 'user.none')
      except OSError as e: print(e.errno)
      """
    let text = try output("python3 -c \"\(script)\"")
    #expect(text == "['user.color'] b'green'\n\(ENODATA)\n")
  }

  @Test("a held read ends at once when its reader is killed or interrupted", arguments: [9, 2])
  func interrupted(_ number: CInt) throws {
    let mount = try ServedMount()
    let reader = try TestProcess("/bin/cat", [mount.path + "/slow"])
    #expect(try mount.server.line() == "held")
    kill(reader.process, number)
    #expect(reader.wait() == 128 + number)
    #expect(try output("cat \(mount.path)/hello") == "hello, world\n")
  }

  @Test("a held read is answered when it is released")
  func released() throws {
    let mount = try ServedMount()
    let readers = try (0..<10).map { _ in try TestProcess("/bin/cat", [mount.path + "/slow"]) }
    for _ in readers { #expect(try mount.server.line() == "held") }
    #expect(try mount.tell("release") == "released 10")
    for reader in readers {
      #expect(reader.rest() == "at last\n")
      #expect(reader.wait() == 0)
    }
  }

  @Test("new bytes show after the invalidation, and not before", arguments: [[], ["kernel6.1"]])
  func invalidated(_ settings: [String]) throws {
    let mount = try ServedMount(settings)
    #expect(try output("cat \(mount.path)/hello") == "hello, world\n")
    #expect(try mount.tell("text hello a longer text than before") == "done")
    // Without fstat(2), as every read makes the kernel ask for the access time again.
    let read = "import os; print(os.read(os.open('\(mount.path)/hello', 0), 99).decode(), end='')"
    #expect(try output("python3 -c \"\(read)\"") == "hello, world\n")
    #expect(try mount.tell("invalidate hello") == "invalidated")
    #expect(try output("cat \(mount.path)/hello") == "a longer text than before\n")
    #expect(try output("stat -c %s \(mount.path)/hello") == "26\n")
  }

  @Test("a signal unmounts it", arguments: [SIGTERM, SIGINT, SIGHUP])
  func signalled(_ signal: CInt) throws {
    let mount = try ServedMount()
    kill(mount.server.process, signal)
    #expect(try mount.server.line() == "ended stopped")
    #expect(mount.server.wait() == 0)
    #expect(!mount.isMounted)
  }

  @Test("a signal unmounts it although a program has a file open and another waits")
  func signalledWhileBusy() throws {
    let mount = try ServedMount()
    let waiting = try TestProcess("/bin/sh", ["-c", "cat \(mount.path)/slow 2>&1"])
    #expect(try mount.server.line() == "held")
    let holder = try TestProcess(
      "/bin/sh", ["-c", "exec 5<\(mount.path)/hello; echo open; read x; cat <&5 2>&1; echo $?"])
    #expect(try holder.line() == "open")
    kill(mount.server.process, SIGTERM)
    #expect(try mount.server.line() == "ended stopped")
    #expect(mount.server.wait() == 0)
    #expect(!mount.isMounted)
    #expect(waiting.rest().contains("Input/output error"))
    holder.send("")
    #expect(holder.rest().contains("not connected"))
  }

  @Test("an unmount from outside ends the server with success")
  func unmountedOutside() throws {
    let mount = try ServedMount()
    #expect(try TestProcess.shell("umount \(mount.path)").status == 0)
    #expect(try mount.server.line() == "ended unmounted")
    #expect(mount.server.wait() == 0)
  }

  @Test("an abort ends every wait and the server, and leaves no dead mount")
  func aborted() throws {
    let mount = try ServedMount()
    let reader = try TestProcess("/bin/sh", ["-c", "cat \(mount.path)/slow 2>&1"])
    #expect(try mount.server.line() == "held")
    let entry = try #require(MountTable.current().last { $0.mountpoint == mount.path })
    try entry.abort()
    let end = try #require(try mount.server.line())
    #expect(["ended aborted", "ended unmounted"].contains(end))
    #expect(reader.rest().contains("connect"))
    #expect(!mount.isMounted)
  }

  @Test("a mount whose server was killed is found dead, and can be unmounted")
  func dead() throws {
    let mount = try ServedMount()
    let entry = try #require(MountTable.current().last { $0.mountpoint == mount.path })
    kill(mount.server.process, SIGKILL)
    mount.server.wait()
    #expect(entry.health() == .dead)
    let second = try TestProcess(ServedMount.serverPath(), [mount.path])
    let error = try #require(try second.line())
    #expect(error.hasPrefix("error mountpointInUse"))
    #expect(error.contains("whose server is gone"))
    try MountTable.unmount(mount.path)
    #expect(!mount.isMounted)
  }

  @Test("a mount that is in use is unmounted when it is not in use any more, within one's patience")
  func busy() async throws {
    let mount = try ServedMount()
    let path = mount.path
    let user = try TestProcess("/bin/sh", ["-c", "exec 5<\(path)/hello; echo open; read line"])
    #expect(try user.line() == "open")
    let error = #expect(throws: FuseError.self) { try MountTable.unmount(path) }
    #expect(error?.code == .busy)
    let unmounted = Task { try MountTable.unmount(path, patience: .seconds(100)) }
    user.send("close")
    user.wait()
    try await unmounted.value
    #expect(!mount.isMounted)
  }

  @Test("a mount whose server is stopped does not answer, and nobody hangs who asks")
  func notAnswering() throws {
    let mount = try ServedMount()
    let entry = try #require(MountTable.current().last { $0.mountpoint == mount.path })
    kill(mount.server.process, SIGSTOP)
    #expect(entry.health(within: 100) == .notAnswering)
    kill(mount.server.process, SIGCONT)
    #expect(entry.health() == .serving)
  }

  @Test("a passed-through file is read from its backing file, also when that is large")
  func passthrough() throws {
    let folder = try ServedMount.makeFolder()
    let backing = folder + "/backing"
    defer { _ = try? TestProcess.shell("rm -r \(folder)") }
    _ = try output("head -c 5000000 /dev/urandom > \(backing)")
    let mount = try ServedMount(["passthrough", backing])
    _ = try output("cmp \(backing) \(mount.path)/backed")
    _ = try output("cmp \(backing) \(mount.path)/backed")
    _ = try output("printf changed | dd of=\(mount.path)/backed conv=notrunc status=none")
    #expect(try output("head -c 7 \(backing)") == "changed")
  }
}
