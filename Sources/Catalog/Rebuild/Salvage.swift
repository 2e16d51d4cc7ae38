internal import Glibc
internal import Platform

/// What can still be read of a damaged catalog; nothing in it is relied on.
struct Salvage {
  private let connection: Connection?

  /// - Parameter path: where the damaged catalog is kept. It is not changed.
  init(_ path: String) { connection = try? Connection(reading: path) }

  /// What an item was called.
  func name(of inode: InodeNumber) -> FileName? {
    let name = try? connection?.first(.parentAndName) {
      $0.bind(1, inode)
    } _: {
      FileName($0.bytes(1))
    }
    return name ?? nil
  }

  /// The numbers that it would have given out next.
  var counters: Counters? { connection.flatMap { try? Counters($0) } }

  /// How often it was opened.
  var session: UInt64 { (try? connection?.session()) ?? 0 }
}

extension Timestamp {
  /// The hours since 1970.
  var hours: UInt64 { UInt64(max(0, seconds)) / 3600 }

  /// The day, as 2025-11-30, in UTC.
  var day: String {
    var seconds = time_t(seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: CInt) -> String { (number < 10 ? "0" : "") + String(number) }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
  }

  /// Day and time, as 2025-11-30-123501, in UTC: names files in the order of time.
  var stamp: String {
    func six(_ number: Int64) -> String {
      let digits = String(number)
      return String(repeating: "0", count: 6 - digits.count) + digits
    }
    let second = seconds % 86_400
    return day + "-" + six(second / 3600 * 10_000 + second / 60 % 60 * 100 + second % 60)
  }
}
