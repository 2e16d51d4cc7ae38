import Foundation
import MountKit

/// What a program asks of the drive.
enum Call: String, CaseIterable, Sendable {
  case lookup, stat, access, open, read, write, readdir, xattr, rename, unlink, link, explicit
}

/// Who asks.
enum Caller: String, CaseIterable, Sendable {
  case direct, shell, python, foundation
}

/// How a program tells what it got.
enum Telling: Sendable {
  /// It prints "present" and details, or the name of an error.
  case words
  /// Its exit status says yes or no, and nothing else does.
  case status
  /// It prints "present" or "no".
  case yesOrNo
  /// It prints the details, or the system's sentence for an error.
  case sentences
  /// It prints "present" and details, or the code of one of Foundation's errors.
  case foundationErrors
  /// It prints "present", or the code of Foundation's "no such file", whatever went wrong.
  case noSuchFile
}

/// A program that makes a call, and the requests that the drive must see of it.
struct CallingProgram: Sendable, CustomStringConvertible {
  let call: Call
  let caller: Caller
  let label: String
  let arguments: [String]
  /// The classes of the requests in the ledger, in order, when all goes well. With a question mark: the
  /// program goes on when this one fails. With an exclamation mark: it follows only what was refused.
  let requests: [String]
  let tells: Telling

  init(
    _ call: Call, _ caller: Caller, _ label: String, _ arguments: [String], _ requests: String,
    _ tells: Telling
  ) {
    self.call = call
    self.caller = caller
    self.label = label
    self.arguments = arguments
    self.requests = requests.split(separator: " ").map(String.init)
    self.tells = tells
  }

  var description: String { "\(call) by \(label)" }

  /// The command line for a path.
  func command(_ path: String) -> [String] {
    arguments.map { word in
      switch word {
      case "PATH": path
      case "OTHER": path + Self.otherSuffix
      case "CallProbe", "FoundationProbe": Self.built(word)
      default: word
      }
    }
  }

  /// What the second name of a call that takes two ends with.
  static let otherSuffix = ".other"

  /// A program that is built beside the tests.
  static func built(_ name: String) -> String {
    (MountedDrive.program as NSString).deletingLastPathComponent + "/" + name
  }
}

extension CallingProgram {
  private static func direct(
    _ call: Call, _ label: String, _ probe: String, _ requests: String
  ) -> CallingProgram {
    CallingProgram(call, .direct, label, ["CallProbe", probe, "PATH"], requests, .words)
  }

  private static func python(_ call: Call, _ code: String, _ requests: String) -> CallingProgram {
    let program = """
      import errno, os, sys
      path = sys.argv[1]
      try: print('present', \(code))
      except OSError as error: print(errno.errorcode[error.errno])
      """
    return CallingProgram(
      call, .python, code, ["/usr/bin/python3", "-I", "-S", "-c", program, "PATH"], requests, .words
    )
  }

  private static func pythonAsks(
    _ call: Call, _ code: String, _ requests: String
  ) -> CallingProgram {
    let program = "import os, sys\npath = sys.argv[1]\nprint('present' if \(code) else 'no')"
    return CallingProgram(
      call, .python, code, ["/usr/bin/python3", "-I", "-S", "-c", program, "PATH"], requests,
      .yesOrNo)
  }

  private static func shell(
    _ call: Call, _ shell: String, _ code: String, _ requests: String, _ tells: Telling
  ) -> CallingProgram {
    CallingProgram(
      call, .shell, "\(shell): \(code)", [shell, "-c", code, shell, "PATH"], requests, tells)
  }

  private static func tool(
    _ call: Call, _ label: String, _ arguments: [String], _ requests: String
  ) -> CallingProgram {
    CallingProgram(call, .shell, label, arguments + ["PATH"], requests, .sentences)
  }

  private static func toolOfTwo(
    _ call: Call, _ label: String, _ arguments: [String], _ requests: String
  ) -> CallingProgram {
    CallingProgram(
      call, .shell, label, arguments + ["PATH", "OTHER"], requests, .sentences)
  }

  private static func foundation(
    _ call: Call, _ name: String, _ requests: String, _ tells: Telling = .foundationErrors
  ) -> CallingProgram {
    CallingProgram(
      call, .foundation, name, ["FoundationProbe", name, "PATH"], requests, tells)
  }

  /// Every program of the matrix.
  static let all: [CallingProgram] = [
    direct(.lookup, "open(O_PATH)", "lookup", "lookup"),
    direct(.lookup, "statx(AT_STATX_DONT_SYNC)", "statx-dont-sync", "lookup"),
    tool(.lookup, "readlink -e", ["readlink", "-ev"], "lookup"),
    python(.lookup, "os.open(path, os.O_PATH)", "lookup"),

    direct(.stat, "stat(2)", "stat", "stat"),
    shell(.stat, "bash", "test -e \"$1\"", "stat", .status),
    shell(.stat, "dash", "test -f \"$1\"", "stat", .status),
    tool(.stat, "stat", ["stat", "-c", "%s bytes"], "stat"),
    python(.stat, "os.stat(path).st_size, 'bytes'", "stat"),
    pythonAsks(.stat, "os.path.exists(path)", "stat"),
    foundation(.stat, "fileExists", "stat", .yesOrNo),
    foundation(.stat, "checkResourceIsReachable", "stat", .noSuchFile),
    // It asks for the attributes and then for the names of the extended ones.
    foundation(.stat, "attributesOfItem", "stat xattr"),

    direct(.access, "faccessat(R_OK)", "access", "access"),
    shell(.access, "bash", "test -r \"$1\"", "access", .status),
    shell(.access, "dash", "test -r \"$1\"", "access", .status),
    pythonAsks(.access, "os.access(path, os.R_OK)", "access"),
    foundation(.access, "isReadableFile", "access", .yesOrNo),

    direct(.open, "open(O_RDONLY)", "open", "open"),
    shell(.open, "dash", ": < \"$1\"", "open", .sentences),
    python(.open, "os.open(path, os.O_RDONLY)", "open"),
    foundation(.open, "FileHandle(forReadingFrom:)", "open"),

    direct(.read, "open, read", "read", "open read"),
    tool(.read, "cat", ["cat"], "open read"),
    shell(
      .read, "bash", "IFS= read -r -N 8 start < \"$1\" && echo \"$start\"", "open read", .sentences),
    python(.read, "open(path, 'rb').read().decode(errors='replace')", "open read"),
    foundation(.read, "Data(contentsOf:)", "open read"),
    foundation(.read, "FileHandle.readToEnd", "open read"),

    direct(.write, "open(O_WRONLY)", "write", "open"),
    direct(.write, "open(O_WRONLY), write", "write-byte", "open write"),
    direct(.write, "open(O_TRUNC)", "truncate", "truncate"),
    shell(.write, "dash", ": > \"$1\"", "truncate", .sentences),
    shell(.write, "dash", ": >> \"$1\"", "open", .sentences),
    python(.write, "open(path, 'r+')", "open"),
    foundation(.write, "FileHandle(forUpdating:)", "open"),
    foundation(.write, "Data.write(to:)", "truncate write"),
    // It looks first, and does not mind to be told that there is nothing.
    foundation(.write, "OutputStream", "stat? truncate", .yesOrNo),

    direct(.readdir, "open(O_DIRECTORY), getdents64", "readdir", "readdir"),
    tool(.readdir, "ls -A", ["ls", "-A"], "stat readdir"),
    python(.readdir, "*os.listdir(path)", "readdir"),
    foundation(.readdir, "contentsOfDirectory", "readdir"),

    direct(.xattr, "getxattr", "xattr", "xattr"),
    // It looks first whether there is such a file.
    tool(.xattr, "getfattr -n", ["getfattr", "-n", "user.comment"], "stat xattr"),
    python(.xattr, "os.getxattr(path, 'user.comment')", "xattr"),

    direct(.rename, "rename(2)", "rename", "rename"),
    toolOfTwo(.rename, "mv", ["mv", "-T"], "rename !stat"),
    python(.rename, "os.rename(path, path + '.other')", "rename"),
    // Foundation and rm look first, and go on whatever they are told; mv and ln look when they were refused.
    foundation(.rename, "moveItem", "stat? rename"),

    direct(.unlink, "unlink(2)", "unlink", "unlink"),
    tool(.unlink, "rm", ["rm"], "stat? unlink"),
    python(.unlink, "os.unlink(path)", "unlink"),
    foundation(.unlink, "removeItem", "stat? unlink"),

    direct(.link, "link(2)", "link", "link"),
    toolOfTwo(.link, "ln", ["ln", "-T"], "link !stat"),
    python(.link, "os.link(path, path + '.other')", "link"),
    foundation(.link, "linkItem", "stat stat link"),

    direct(.explicit, "setxattr", "request-download", "explicit"),
    tool(
      .explicit, "setfattr", ["setfattr", "-n", "user.fauxdrive.request", "-v", "download"],
      "explicit"),
    python(
      .explicit, "os.setxattr(path, 'user.fauxdrive.request', b'download')", "explicit"),
  ]

  /// Which callers cannot make a call, and why; the same for every profile and state.
  static let impossible: [(call: Call, caller: Caller, why: String)] = [
    (.lookup, .foundation, "Foundation asks with stat or access, or opens; it never walks only"),
    (
      .xattr, .foundation,
      "Foundation has no call for one attribute; attributesOfItem lists their names (see stat)"
    ),
    (.explicit, .foundation, "Foundation cannot set an attribute"),
  ]
}
