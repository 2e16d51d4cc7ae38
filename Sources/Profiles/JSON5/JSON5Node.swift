/// A place in a text, from 1; 0 for what was not read from a text.
struct TextPlace: Hashable, Sendable {
  var line = 0
  /// In bytes.
  var column = 0
}

/// A value of a JSON5 text, with the place where it begins.
struct JSON5Node: Hashable, Sendable {
  /// What a value can be.
  enum Value: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case list([JSON5Node])
    case object([Member])
  }

  /// A key and its value.
  struct Member: Hashable, Sendable {
    let key: String
    let place: TextPlace
    var node: JSON5Node
  }

  var value: Value
  var place = TextPlace()

  /// What the value is, for a message.
  var kind: String {
    switch value {
    case .null: "null"
    case .boolean: "true or false"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  /// The value of a key, if this is an object that has it.
  subscript(_ key: String) -> JSON5Node? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }?.node
  }

  static func text(_ text: String) -> JSON5Node { JSON5Node(value: .text(text)) }
  static func boolean(_ value: Bool) -> JSON5Node { JSON5Node(value: .boolean(value)) }
  static func number(_ value: Int) -> JSON5Node { JSON5Node(value: .number(Double(value))) }
  static func texts(_ texts: [String]) -> JSON5Node { JSON5Node(value: .list(texts.map(text))) }
  static func object(_ members: [(String, JSON5Node)]) -> JSON5Node {
    JSON5Node(value: .object(members.map { Member(key: $0.0, place: TextPlace(), node: $0.1) }))
  }

  /// The paths of all values below that are not objects, in order, joined by dots.
  func leaves(below path: String) -> [String] {
    guard case .object(let members) = value else { return [path] }
    return members.flatMap { $0.node.leaves(below: path.isEmpty ? $0.key : "\(path).\($0.key)") }
  }

  /// The shortest paths below which every value is meant, in order.
  func paths(below path: String = "", where isMeant: (String) -> Bool) -> [String] {
    if !path.isEmpty, leaves(below: path).allSatisfy(isMeant) { return [path] }
    guard case .object(let members) = value else { return [] }
    return members.flatMap { member in
      member.node.paths(
        below: path.isEmpty ? member.key : "\(path).\(member.key)", where: isMeant)
    }
  }

  /// Sets the value at a path of keys, or takes it away; nothing is done where there is no object for it.
  mutating func set(_ path: ArraySlice<String>, to other: JSON5Node?) {
    guard let key = path.first, case .object(var members) = value else { return }
    let place = members.firstIndex { $0.key == key }
    if path.count > 1 {
      if let place { members[place].node.set(path.dropFirst(), to: other) }
    } else if let place, let other {
      members[place].node = other
    } else if let place {
      members.remove(at: place)
    } else if let other {
      members.append(Member(key: key, place: TextPlace(), node: other))
    }
    value = .object(members)
  }

  /// The value at a path of keys.
  func value(at path: ArraySlice<String>) -> JSON5Node? {
    guard let key = path.first else { return self }
    return self[key]?.value(at: path.dropFirst())
  }

  /// This value with what another one says instead; objects are joined key by key.
  ///
  /// An object that says another `style` is another kind of thing, so it is taken as a whole.
  func overridden(by other: JSON5Node) -> JSON5Node {
    guard case .object(var members) = value, case .object(let others) = other.value else {
      return other
    }
    if let style = other["style"], style.value != self["style"]?.value { return other }
    for member in others {
      if let place = members.firstIndex(where: { $0.key == member.key }) {
        members[place].node = members[place].node.overridden(by: member.node)
      } else {
        members.append(member)
      }
    }
    return JSON5Node(value: .object(members), place: other.place)
  }
}
