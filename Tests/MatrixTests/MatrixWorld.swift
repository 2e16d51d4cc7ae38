import Control
import DriveClient
import Foundation
import Ledger
import MountKit
import Platform

/// A mounted drive in which every cell has a document, or a folder with one in it, of its own.
final class MatrixWorld: @unchecked Sendable {
  let drive: MountedDrive
  let table: Table
  /// A local disk cannot be held.
  var isDisk: Bool { table.profile == "local" }

  /// Mounts, lists the root, and lists nothing else.
  init(
    _ table: Table, items count: Int, options: [String] = ["--audit"]
  ) throws {
    self.table = table
    var files: [String: [UInt8]] = [:]
    for index in 0..<count {
      files[Self.document(index)] = Array(Self.content(index).utf8)
      files["folder-\(index)/inner"] = Array("x".utf8)
    }
    drive = try MountedDrive(
      MatrixSettings.mounted(table.profile), cloud: files, options: options)
    let grant = options.contains("--scoped") ? try grantAll() : nil
    try CallingProgram.probe("readdir", drive.mountpoint).expect("present")
    if let grant { try drive.drive().removeGrant(grant) }
  }

  private func grantAll() throws -> Int {
    try drive.drive().grant("/", to: getpid(), includingDescendants: true)
  }

  /// The name of a document; none is the beginning of another one's.
  static func document(_ index: Int) -> String { "doc-\(index)-" }

  /// What a document holds: one line.
  static func content(_ index: Int) -> String { "The content of document \(index).\n" }
}

extension CallingProgram {
  /// Runs a program to its end, which must be a good one.
  static func run(_ arguments: String...) throws {
    let ended = try TestProgram(arguments).finishInTime()
    guard ended.status == 0 else { throw TestFailure("\(arguments[0]) failed: \(ended)") }
  }

  /// Runs CallProbe to its end.
  static func probe(_ call: String, _ path: String) throws -> TestProgram.Ended {
    try TestProgram([built("CallProbe"), call, path]).finishInTime()
  }
}

extension TestProgram.Ended {
  /// Throws unless it printed this, or something that begins with it.
  func expect(_ text: String) throws {
    guard output.hasPrefix(text) else { throw TestFailure("'\(text)' expected: \(self)") }
  }
}

extension World {
  /// Closes a gate at a point as it is written, such as `reply:enumerate`.
  func closeGate(_ point: String, path: String) throws(ControlError) -> Int {
    try call(GateClose.self, .init(checkpoint: point, path: path, device: nil)).gate
  }

  /// How many a gate holds.
  func held(at gate: Int) throws(ControlError) -> Int {
    try gates().first { $0.gate == gate }?.held.count ?? 0
  }
}
