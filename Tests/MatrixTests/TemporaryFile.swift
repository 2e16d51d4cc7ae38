import Foundation
import MountKit

/// A small file for the time of a test.
struct TemporaryFile {
  let path: String

  init(_ text: String, suffix: String = ".json5") throws {
    path = NSTemporaryDirectory() + "fauxdrive-matrix-" + UUID().uuidString + suffix
    guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
      throw TestFailure("\(path) cannot be written")
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
