import Foundation

/// What `scripts/mutate-profiles` changes about a run of the matrix.
enum MatrixSettings {
  /// `FAUXDRIVE_MATRIX_PROFILE=NAME=FILE`: a file that stands for the built-in profile of that name.
  private static let replacement: (name: String, file: String)? = {
    let parts = variable("FAUXDRIVE_MATRIX_PROFILE").split(separator: "=", maxSplits: 1)
    return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
  }()

  /// `FAUXDRIVE_MATRIX_CALLS`: only cells of these calls.
  private static let calls: Set<String> = words("FAUXDRIVE_MATRIX_CALLS")
  /// `FAUXDRIVE_MATRIX_CALLERS`: only cells of these callers.
  private static let callers: Set<String> = words("FAUXDRIVE_MATRIX_CALLERS")

  /// `FAUXDRIVE_MATRIX_PATIENCE`: after how many seconds what must happen has not.
  static let patience: Duration = .seconds(Int(variable("FAUXDRIVE_MATRIX_PATIENCE")) ?? 30)

  /// What to mount for a built-in profile: its name, or the file that stands for it.
  static func mounted(_ profile: String) -> String {
    replacement?.name == profile ? replacement?.file ?? profile : profile
  }

  /// Whether tests of a profile shall run: all but when a file stands for another one.
  static func means(_ profile: String) -> Bool {
    replacement == nil || replacement?.name == profile
  }

  static func means(_ program: CallingProgram) -> Bool {
    (calls.isEmpty || calls.contains(program.call.rawValue))
      && (callers.isEmpty || callers.contains(program.caller.rawValue))
  }

  private static func variable(_ name: String) -> String {
    ProcessInfo.processInfo.environment[name] ?? ""
  }

  private static func words(_ name: String) -> Set<String> {
    Set(variable(name).split(separator: ",").map(String.init))
  }
}
