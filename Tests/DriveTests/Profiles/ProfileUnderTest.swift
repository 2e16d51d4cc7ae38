import Foundation
import Profiles
import Testing

/// What `scripts/mutate-profiles` changes about the tests of a profile.
enum ProfileUnderTest {
  /// `FAUXDRIVE_PROFILE_UNDER_TEST=NAME=FILE`: a file that stands for the built-in profile of that name.
  private static let replacement: (name: String, file: String)? = {
    let parts = (ProcessInfo.processInfo.environment["FAUXDRIVE_PROFILE_UNDER_TEST"] ?? "")
      .split(separator: "=", maxSplits: 1)
    return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
  }()

  static func profile(named name: String) throws -> Profile {
    guard let replacement, replacement.name == name else {
      return try #require(Profile.builtin(named: name))
    }
    return try .load(fileAt: replacement.file)
  }

  /// Whether tests of a profile shall run: all but when a file stands for another one.
  static func means(_ name: String) -> Bool { replacement.map { $0.name == name } ?? true }
}
