internal import Cloud

/// What a batch of changes says in the end about each item.
struct Statements {
  enum Statement {
    case present(Item)
    case gone
  }

  /// The items in the order of their first mention.
  private(set) var order: [ItemIdentifier] = []
  /// The last word on each.
  private(set) var last: [ItemIdentifier: Statement] = [:]
  /// Items that are present though the batch says that they went before: what was in them did not
  /// come back.
  private(set) var returned: Set<ItemIdentifier> = []

  init(_ changes: [Change]) {
    for change in changes {
      switch change {
      case .updated(let item): add(item.identifier, .present(item))
      case .deleted(let identifier): add(identifier, .gone)
      case .replaced(let old, let new): replace(old, with: new)
      }
    }
  }

  /// The one place that decides what "replaced" means: the old item is gone and the new one is another.
  ///
  /// An account policy that keeps the identity would state here that the old item is present, with the
  /// new one's identifier and content.
  private mutating func replace(_ old: ItemIdentifier, with new: Item) {
    if old != new.identifier { add(old, .gone) }
    add(new.identifier, .present(new))
  }

  private mutating func add(_ identifier: ItemIdentifier, _ statement: Statement) {
    let previous = last.updateValue(statement, forKey: identifier)
    switch (previous, statement) {
    case (nil, _): order.append(identifier)
    case (.gone, .present): returned.insert(identifier)
    case (_, .gone): returned.remove(identifier)
    case (.present, .present): break
    }
  }
}
