import Foundation

/// Makes one call of Foundation on a path and prints what came of it: "present" and what the call told,
/// "no" where Foundation only says that, or the error's name.
@main
enum Program {
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 3, let call = calls[words[1]] else {
      print("usage: FoundationProbe \(calls.keys.sorted().joined(separator: "|")) PATH")
      exit(64)
    }
    do {
      print(try call(words[2]))
    } catch {
      print(name(of: error))
    }
  }

  private static let calls: [String: @Sendable (String) throws -> String] = [
    "fileExists": { FileManager.default.fileExists(atPath: $0) ? "present" : "no" },
    "checkResourceIsReachable": {
      try URL(fileURLWithPath: $0, isDirectory: false).checkResourceIsReachable()
        ? "present" : "no"
    },
    "attributesOfItem": {
      let attributes = try FileManager.default.attributesOfItem(atPath: $0)
      return "present \(attributes[.size] ?? "?") bytes"
    },
    "isReadableFile": { FileManager.default.isReadableFile(atPath: $0) ? "present" : "no" },
    "FileHandle(forReadingFrom:)": {
      _ = try FileHandle(forReadingFrom: URL(fileURLWithPath: $0, isDirectory: false))
      return "present"
    },
    "Data(contentsOf:)": {
      "present "
        + String(
          decoding: try Data(contentsOf: URL(fileURLWithPath: $0, isDirectory: false)),
          as: UTF8.self)
    },
    "FileHandle.readToEnd": {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: $0, isDirectory: false))
      return "present " + String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    },
    "Data.write(to:)": {
      try Data("x".utf8).write(to: URL(fileURLWithPath: $0, isDirectory: false))
      return "present"
    },
    "FileHandle(forUpdating:)": {
      _ = try FileHandle(forUpdating: URL(fileURLWithPath: $0, isDirectory: false))
      return "present"
    },
    "OutputStream": { path in
      guard let stream = OutputStream(toFileAtPath: path, append: false) else { return "no" }
      stream.open()
      return stream.streamStatus == .open ? "present" : "no"
    },
    "moveItem": {
      try FileManager.default.moveItem(atPath: $0, toPath: $0 + ".other")
      return "present"
    },
    "removeItem": {
      try FileManager.default.removeItem(atPath: $0)
      return "present"
    },
    "linkItem": {
      try FileManager.default.linkItem(atPath: $0, toPath: $0 + ".other")
      return "present"
    },
    "contentsOfDirectory": {
      let names = try FileManager.default.contentsOfDirectory(atPath: $0)
      return "present " + names.sorted().joined(separator: " ")
    },
  ]

  private static let names = [
    Int(EPERM): "EPERM", Int(ENOENT): "ENOENT", Int(EINTR): "EINTR", Int(EIO): "EIO",
    Int(EACCES): "EACCES", Int(EROFS): "EROFS", Int(ESTALE): "ESTALE",
    Int(ETIMEDOUT): "ETIMEDOUT",
  ]

  private static func name(of error: any Error) -> String {
    var error = error as NSError
    while let inner = error.userInfo[NSUnderlyingErrorKey] as? NSError { error = inner }
    if error.domain == NSPOSIXErrorDomain, let name = names[error.code] { return name }
    return "\(error.domain) \(error.code)"
  }
}
