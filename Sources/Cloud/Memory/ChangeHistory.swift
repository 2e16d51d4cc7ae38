/// The last changes of an account, each with its number.
struct ChangeHistory: Sendable {
  let limit: Int
  private var changes: [Change] = []
  // How many changes came before the first of `changes`.
  private var dropped = 0

  init(limit: Int) { self.limit = limit }

  var total: Int { dropped + changes.count }
  var anchor: SyncAnchor { Self.anchor(total) }

  mutating func append(_ change: Change) {
    changes.append(change)
    // Dropping the older half at once keeps an append cheap.
    guard changes.count > 2 * max(limit, 1) else { return }
    let surplus = changes.count - limit
    changes.removeFirst(surplus)
    dropped += surplus
  }

  func batch(since anchor: SyncAnchor, count: Int) throws(CloudError) -> ChangeBatch {
    guard let number = Self.number(of: anchor), number <= total, number >= total - limit,
      number >= dropped
    else {
      throw CloudError(
        .anchorExpired, "The history does not reach back to this anchor; enumerate again.")
    }
    let rest = changes[(number - dropped)...].prefix(count)
    let end = number + rest.count
    return ChangeBatch(
      changes: Array(rest), anchor: Self.anchor(end), moreComing: end < total)
  }

  private static func anchor(_ number: Int) -> SyncAnchor { SyncAnchor(rawValue: "a\(number)") }

  private static func number(of anchor: SyncAnchor) -> Int? {
    guard anchor.rawValue.first == "a" else { return nil }
    return Int(anchor.rawValue.dropFirst())
  }
}
