/// Finds what somebody may have meant.
public enum Suggestion {
  /// The candidate nearest to a misspelt word, if one is near enough.
  public static func nearest(to word: String, in candidates: [String]) -> String? {
    let limit = word.count <= 3 ? 1 : 2
    let near = candidates.map { (candidate: $0, distance: distance(word, $0)) }
      .filter { $0.distance <= limit }
    if let best = near.min(by: { $0.distance < $1.distance }) { return best.candidate }
    let longer = candidates.filter { word.count >= 2 && $0.hasPrefix(word) }
    return longer.count == 1 ? longer.first : nil
  }

  /// How many letters must be inserted, removed, replaced or exchanged with the next one.
  static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
    var rows = [Array(0...right.count)]
    for (i, letter) in left.enumerated() {
      var row = [i + 1]
      for (j, other) in right.enumerated() {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == other ? 0 : 1))
        if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
