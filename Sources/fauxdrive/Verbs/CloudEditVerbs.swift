import Control
import DriveClient
import Foundation
import Glibc
import Options
import Platform

/// `fauxdrive cloud put|mkdir|mv|rm`
enum CloudEditVerbs {
  static let all = [put, makeFolder, move, remove]

  private static let replace = Option(
    "replace", help: "the document that is there is replaced by another one, as some clients save")

  private static let put = Verb(
    Command(
      "put", summary: "write a document in the cloud, as another device would",
      discussion: """
        The devices learn of it after the account's propagation delay, or at once with \
        'fauxdrive cloud refresh'. Without --replace the document stays the same one, and has a new \
        version.
        """,
      options: [replace, .json],
      operands: [
        Operand("FILE", help: "where the content is; - for standard input"), CloudVerbs.drivePath,
      ],
      examples: [
        Example(
          "echo 'from elsewhere' | fauxdrive cloud put - ~/Drive/notes.txt",
          meaning: "Edits the document on another device.")
      ],
      exitCodes: [.failure, .noInput, .unavailable])
  ) { arguments, console in
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[1]))
    var params = CloudPut.Params(path: location.path, replaces: arguments.has(replace))
    if arguments.operands[0] == "-" {
      let file = try TemporaryCopy(of: FileHandle.standardInput)
      params.source = file.path
      return try show(call(CloudPut.self, params, location), arguments, console)
    }
    params.source = URL(filePath: Tilde.expand(arguments.operands[0])).path
    return try show(call(CloudPut.self, params, location), arguments, console)
  }

  private static let makeFolder = Verb(
    Command(
      "mkdir", summary: "make a folder in the cloud, as another device would", options: [.json],
      operands: [CloudVerbs.drivePath],
      examples: [Example("fauxdrive cloud mkdir ~/Drive/Games", meaning: "Makes it.")],
      exitCodes: [.failure, .noInput, .unavailable, .cannotCreate])
  ) { arguments, console in
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let params = CloudMakeFolder.Params(path: location.path)
    return try show(call(CloudMakeFolder.self, params, location), arguments, console)
  }

  private static let replaceTarget = Option(
    "replace", help: "what has the new name is replaced")

  private static let move = Verb(
    Command(
      "mv", summary: "rename or move an item in the cloud, as another device would",
      options: [replaceTarget, .json],
      operands: [
        CloudVerbs.drivePath, Operand("NEWPATH", help: "where it shall be, on the same drive"),
      ],
      examples: [
        Example(
          "fauxdrive cloud mv ~/Drive/notes.txt ~/Drive/ideas.txt",
          meaning: "Renames it on another device.")
      ],
      exitCodes: [.failure, .noInput, .unavailable, .cannotCreate])
  ) { arguments, console in
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let target = try DriveLocation(of: Tilde.expand(arguments.operands[1]))
    guard target.world == location.world else {
      throw UsageError("both paths must be on drives of one world")
    }
    let params = CloudMove.Params(
      path: location.path, target: target.path, replaces: arguments.has(replaceTarget))
    return try show(call(CloudMove.self, params, location), arguments, console)
  }

  private static let recursive = Option(
    "recursive", short: "r", help: "a folder goes with all that is in it")

  private static let remove = Verb(
    Command(
      "rm", summary: "delete items in the cloud, as another device would", options: [recursive],
      operands: [
        Operand(
          "PATH", help: "paths on a drive; the same places in the cloud are meant", maximum: nil)
      ],
      examples: [
        Example("fauxdrive cloud rm ~/Drive/notes.txt", meaning: "Deletes it on another device.")
      ],
      exitCodes: [.failure, .noInput, .unavailable])
  ) { arguments, _ in
    for path in arguments.operands {
      let location = try DriveLocation(of: Tilde.expand(path))
      let params = CloudDelete.Params(
        path: location.path, recursively: arguments.has(recursive))
      _ = try call(CloudDelete.self, params, location)
    }
    return .success
  }

  private static func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params, _ location: DriveLocation
  ) throws(ControlError) -> Method.Result {
    try DriveClient.World(directory: location.world).call(method, params)
  }

  private static func show(
    _ item: CloudItemInfo, _ arguments: Arguments, _ console: Console
  ) throws -> ExitCode {
    console.output.write(
      arguments.has(.json)
        ? HumanText.json(item)
        : "\(Terminal.printable(item.path)) is in the cloud as \(item.item)\n")
    return .success
  }
}

/// What came from a pipe, in a file that goes with this object.
private final class TemporaryCopy {
  let path: String

  init(of input: FileHandle) throws {
    var template = Array((NSTemporaryDirectory() + "fauxdrive-put-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Errno.current }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    while let piece = try input.read(upToCount: 1 << 20), !piece.isEmpty {
      try output.write(contentsOf: piece)
    }
  }

  deinit { unlink(path) }
}
