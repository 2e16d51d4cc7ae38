internal import Platform

/// One line of a terminal that shows how far a transfer is; elsewhere it writes nothing.
public struct ProgressBar {
  private static let interval = Duration.milliseconds(100)

  private let terminal: Terminal
  private let now: () -> Duration
  private var start: Duration
  private var label: String?
  private var lastDrawn: Duration?
  private var isShown = false

  /// A bar on a terminal.
  ///
  /// - Parameter now: tells the time since any fixed moment.
  public init(on terminal: Terminal, now: @escaping () -> Duration = Self.uptime) {
    self.terminal = terminal
    self.now = now
    start = now()
  }

  /// Draws the state, at most ten times a second; the last one always.
  public mutating func show(_ label: String, done: Int64, total: Int64) {
    guard terminal.isTerminal else { return }
    let time = now()
    if let before = self.label, before != label { start = time }
    self.label = label
    if let lastDrawn, done < total, time - lastDrawn < Self.interval { return }
    lastDrawn = time
    isShown = true
    let line = Self.line(
      label, done: done, total: total, elapsed: time - start, columns: terminal.columns)
    terminal.write("\r\u{1B}[K" + line)
  }

  /// Removes the bar, so that other lines can follow.
  public mutating func clear() {
    guard isShown else { return }
    isShown = false
    lastDrawn = nil
    terminal.write("\r\u{1B}[K")
  }

  /// The line for a state: label, bar, percent, bytes, rate and the time that is left.
  static func line(
    _ label: String, done: Int64, total: Int64, elapsed: Duration, columns: Int
  ) -> String {
    let part = total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1
    let percent = String(Int(part * 100))
    var tail = String(repeating: " ", count: 3 - percent.count) + percent + "%  "
    tail += "\(HumanText.bytes(done))/\(HumanText.bytes(total))"
    if elapsed > .zero {
      let rate = Double(done) / elapsed.seconds
      tail += "  \(HumanText.bytes(Int64(rate)))/s"
      if rate > 0, done < total {
        let left = min((Double(total - done) / rate).rounded(.up), 359_999)
        tail += "  \(HumanText.duration(.seconds(Int64(left)))) left"
      }
    }
    // The last column stays free: a full line would make some terminals scroll.
    // Where there is room, the bar keeps its length although the numbers do not.
    let room = columns - 1 - (columns < 80 ? tail.count : max(tail.count, 46)) - 4
    guard room >= 10 else { return String(tail.prefix(max(columns - 1, 0))) }
    let width = min(30, room / 2)
    let filled = Int(part * Double(width))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    let name = shortened(Terminal.printable(label), to: room - width)
    return "\(name)  \(bar)  \(tail)"
  }

  private static func shortened(_ text: String, to width: Int) -> String {
    text.count <= width ? text : "..." + text.suffix(max(width - 3, 0))
  }

  /// The time since this program first asked.
  public static func uptime() -> Duration { origin.duration(to: .now) }
  private static let origin = ContinuousClock.now
}
