import Foundation
import Glibc

/// The files that the workloads use, made once in a folder.
struct DataSet {
  static let folders = 100
  static let small = 10_000
  static let flat = 15_000
  static let treeFolders = 150
  static let bigSize = 512 << 20

  /// Makes the data set.
  static func make(in folder: String) throws {
    let files = FileManager.default
    let block = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    for number in 0..<folders {
      let path = folder + "/small/d\(pad(number))"
      try files.createDirectory(atPath: path, withIntermediateDirectories: true)
      for file in 0..<(small / folders) {
        try block.write(to: URL(filePath: "\(path)/f\(pad(file))"))
      }
    }
    try makeEmpty(flat, in: folder + "/flat")
    for number in 0..<treeFolders {
      try makeEmpty(flat / treeFolders, in: folder + "/tree/d\(pad(number))")
    }
    try makeBig(folder + "/big")
    try makeRepository(folder + "/repository")
  }

  /// The paths of the small files in an order that no read-ahead guesses.
  static func smallPaths(_ root: String, missing: Bool = false) -> [String] {
    (0..<small).map { number in
      let mixed = number &* 7919 % small
      let name = missing ? "nope" : "f"
      return "\(root)/small/d\(pad(mixed % folders))/\(name)\(pad(mixed / folders))"
    }
  }

  private static func makeEmpty(_ count: Int, in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<count {
      let file = creat("\(folder)/file-\(number)", 0o644)
      guard file >= 0 else { throw Failure("\(folder) takes no file") }
      close(file)
    }
  }

  private static func makeBig(_ path: String) throws {
    let file = creat(path, 0o644)
    guard file >= 0 else { throw Failure("\(path) cannot be made") }
    defer { close(file) }
    var piece = [UInt64](repeating: 0, count: 1 << 17)
    for number in 0..<(bigSize >> 20) {
      for index in piece.indices { piece[index] = UInt64(number) << 32 | UInt64(index) }
      let count = piece.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count == 1 << 20 else { throw Failure("\(path) cannot be written") }
    }
  }

  private static func makeRepository(_ path: String) throws {
    for number in 0..<50 {
      let folder = "\(path)/src/m\(number)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for file in 0..<100 {
        try Data("file \(number) \(file)\n".utf8).write(to: URL(filePath: "\(folder)/f\(file).txt"))
      }
    }
    try Shell.run(["git", "-C", path, "init", "-q"])
    try Shell.run(["git", "-C", path, "add", "-A"])
    try Shell.run([
      "git", "-C", path, "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "files",
    ])
  }

  private static func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Why the benchmark cannot go on.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
