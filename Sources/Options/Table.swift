/// Rows for people: columns of equal width on a terminal, and no padding behind the last one.
public struct Table: Sendable {
  /// How a column is set.
  public enum Alignment: Sendable {
    /// Texts.
    case left
    /// Numbers.
    case right
  }

  private let headings: [String]
  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// A table with the given headings, which are columns of texts unless told otherwise.
  public init(_ headings: [String], alignments: [Alignment] = []) {
    self.headings = headings
    self.alignments = headings.indices.map { $0 < alignments.count ? alignments[$0] : .left }
  }

  /// Adds a row with one cell for each heading.
  public mutating func add(_ cells: [String]) {
    precondition(cells.count == headings.count, "a row has one cell for each heading")
    rows.append(cells.map { Terminal.printable($0) })
  }

  /// Whether there is no row.
  public var isEmpty: Bool { rows.isEmpty }

  /// The table as lines, the headings first.
  public func text(for terminal: Terminal) -> String {
    let widths = headings.indices.map { column in
      ([headings] + rows).map { $0[column].count }.max() ?? 0
    }
    let heading = terminal.styled(line(headings, widths), .bold)
    return ([heading] + rows.map { line($0, widths) }).joined(separator: "\n") + "\n"
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: widths[column] - cell.count)
      if column > 0 { line += "  " }
      line += alignments[column] == .right ? padding + cell : cell + padding
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
