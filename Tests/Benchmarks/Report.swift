import Foundation

/// The figures of all rounds, shown as medians and as ratios to the native file system.
struct Report {
  private let names: [String]
  private var figures: [String: [String: [Double]]] = [:]

  init(_ names: [String]) {
    self.names = names
    let columns = names.map { Self.pad($0, 20) }.joined()
    Swift.print(Self.pad("", 40, left: true) + columns)
  }

  mutating func add(_ workload: Workload, _ name: String, _ figure: Double) {
    figures[workload.name, default: [:]][name, default: []].append(figure)
  }

  /// Prints a row: the median, and in brackets how many times slower than native.
  func print(_ workload: Workload) {
    let rows = figures[workload.name] ?? [:]
    let native = rows[names[0]].map(Self.median) ?? 0
    var line = Self.pad(workload.name + (workload.isRate ? ", MB/s" : ", us"), 40, left: true)
    for name in names {
      let median = rows[name].map(Self.median) ?? 0
      let ratio = workload.isRate ? native / median : median / native
      let text = String(format: workload.isRate ? "%.0f" : "%.2f", median)
      line += Self.pad(name == names[0] ? text : text + String(format: " (%.2fx)", ratio), 20)
    }
    Swift.print(line)
    fflush(nil)
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  private static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    return left ? text + spaces : spaces + text
  }
}
