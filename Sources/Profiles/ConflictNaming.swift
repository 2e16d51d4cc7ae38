internal import Glibc
public import Platform

/// How an account names the copy that keeps the losing side of a conflict.
///
/// A pattern is the copy's whole name. `{stem}` and `{extension}` (with its dot, or empty) come from
/// the document; `{device}` is the losing device; `{number}` counts from 2; the rest is the time:
/// `{year}`, `{month}`, `{monthName}` (Jan ... Dec), `{day}`, `{hour}`, `{minute}`, `{second}`.
public enum ConflictNaming: Hashable, Sendable {
  /// The account makes no copies: the last writer wins, as on a disk or a share.
  case none
  /// Copies are named by this pattern.
  case pattern(String)

  /// What a pattern may name between braces.
  public static let placeholders = [
    "stem", "extension", "device", "number", "year", "month", "monthName", "day", "hour", "minute",
    "second",
  ]

  /// The name of the copy; the first one to try has attempt 0.
  ///
  /// A pattern without `{number}` gets one before the extension from attempt 1 on, so that every
  /// attempt gives another name. What comes from outside is shortened to fit 255 bytes, the stem
  /// first.
  ///
  /// - Returns: nil when the account makes no copies.
  public func name(
    ofCopyOf original: FileName, from device: String, at time: Timestamp, attempt: Int = 0
  ) -> FileName? {
    guard case .pattern(var pattern) = self else { return nil }
    if attempt > 0, !pattern.contains("{number}") {
      pattern = pattern.replacing("{extension}", with: " {number}{extension}")
    }
    var (stem, fileExtension) = Self.parts(of: original.text)
    var device = device
    while true {
      let text = Self.fill(
        pattern, stem: stem, fileExtension: fileExtension, device: device, time: time,
        number: attempt + 2)
      // What a device is called is free text, so it may hold what a name must not.
      let bytes = text.utf8.map { $0 == 0 || $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
      if let name = FileName(bytes) { return name }
      if !stem.isEmpty {
        stem.removeLast()
      } else if !fileExtension.isEmpty {
        fileExtension = ""
      } else if !device.isEmpty {
        device.removeLast()
      } else {
        return nil
      }
    }
  }

  /// Splits "a.tar.gz" into "a.tar" and ".gz"; a leading dot begins no extension.
  private static func parts(of name: String) -> (stem: String, fileExtension: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }

  private static func fill(
    _ pattern: String, stem: String, fileExtension: String, device: String, time: Timestamp,
    number: Int
  ) -> String {
    var seconds = time_t(time.seconds)
    var date = tm()
    gmtime_r(&seconds, &date)
    func padded(_ value: CInt) -> String { value < 10 ? "0\(value)" : String(value) }
    let values = [
      "stem": stem, "extension": fileExtension, "device": device, "number": String(number),
      "year": String(date.tm_year + 1900), "month": padded(date.tm_mon + 1),
      "monthName": monthNames[Int(date.tm_mon) % 12], "day": padded(date.tm_mday),
      "hour": padded(date.tm_hour), "minute": padded(date.tm_min), "second": padded(date.tm_sec),
    ]
    var text = ""
    for piece in Self.pieces(of: pattern) {
      text += piece.isPlaceholder ? values[piece.text] ?? "" : piece.text
    }
    return text
  }

  private static let monthNames = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

extension ConflictNaming {
  /// A part of a pattern.
  struct Piece { let text: String, isPlaceholder: Bool }

  /// The parts of a pattern, in order; an unclosed brace is plain text.
  static func pieces(of pattern: String) -> [Piece] {
    var pieces: [Piece] = []
    var rest = Substring(pattern)
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      pieces.append(Piece(text: String(rest[..<open]), isPlaceholder: false))
      pieces.append(
        Piece(text: String(rest[rest.index(after: open)..<close]), isPlaceholder: true))
      rest = rest[rest.index(after: close)...]
    }
    pieces.append(Piece(text: String(rest), isPlaceholder: false))
    return pieces
  }
}
