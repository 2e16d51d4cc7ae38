import Foundation
import Platform

/// Carries a manual clock's time over a restart. The system's clock needs no file: it shows the time
/// since the world began.
struct ClockFile: Sendable {
  let path: String
  let began: Int64

  func start(isManual: Bool) -> WorldTime {
    guard isManual else {
      return WorldTime(nanoseconds: max(0, Timestamp.now.seconds - began) * 1_000_000_000)
    }
    let text = FileManager.default.contents(atPath: path).map {
      String(decoding: $0, as: UTF8.self)
    }
    return WorldTime(nanoseconds: text.flatMap { Int64($0) } ?? 0)
  }

  func keep(_ now: WorldTime) {
    try? Data(String(now.nanoseconds).utf8).write(to: URL(filePath: path), options: .atomic)
  }
}
