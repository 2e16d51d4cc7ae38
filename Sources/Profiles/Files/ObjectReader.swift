internal import Platform

/// Reads the values of one object of a profile, and says exactly what is wrong with one.
///
/// Every key must be there and no other: nothing is implied.
struct ObjectReader {
  let file: String
  let path: String
  private let node: JSON5Node

  /// Checks that a value is an object with just these keys.
  init(
    _ node: JSON5Node, at path: String, of file: String, keys: [String], optional: [String] = []
  ) throws(ProfileError) {
    self.file = file
    self.path = path
    self.node = node
    guard case .object(let members) = node.value else {
      throw error("", "must be an object, not \(node.kind)", at: node.place)
    }
    let known = keys + optional
    for member in members where !known.contains(member.key) {
      throw error(member.key, "is not known here", allowed: known, at: member.place)
    }
    for key in keys where node[key] == nil {
      throw error(key, "is missing", at: node.place)
    }
  }

  /// The path of a key of this object.
  func path(of key: String) -> String {
    if key.isEmpty { return path }
    return path.isEmpty ? key : "\(path).\(key)"
  }

  func error(
    _ key: String, _ problem: String, allowed: [String] = [], at place: TextPlace? = nil
  ) -> ProfileError {
    ProfileError(
      file: file, at: place ?? node[key]?.place ?? node.place, keyPath: path(of: key),
      problem: problem, allowed: allowed)
  }

  /// The value of a key that `init` has found.
  func node(_ key: String) throws(ProfileError) -> JSON5Node {
    guard let value = node[key] else { throw error(key, "is missing") }
    return value
  }

  func object(_ key: String, keys: [String]) throws(ProfileError) -> ObjectReader {
    try ObjectReader(try node(key), at: path(of: key), of: file, keys: keys)
  }

  func text(_ key: String) throws(ProfileError) -> String {
    let node = try node(key)
    guard case .text(let text) = node.value else {
      throw error(key, "must be a text, not \(node.kind)")
    }
    return text
  }

  func boolean(_ key: String) throws(ProfileError) -> Bool {
    let node = try node(key)
    guard case .boolean(let value) = node.value else {
      throw error(key, "must be true or false, not \(node.kind)")
    }
    return value
  }

  func number(_ key: String, in range: ClosedRange<Int>) throws(ProfileError) -> Int {
    let node = try node(key)
    let allowed = ["\(range.lowerBound) to \(range.upperBound)"]
    guard case .number(let value) = node.value else {
      throw error(key, "must be a number, not \(node.kind)", allowed: allowed)
    }
    guard let number = Int(exactly: value), range.contains(number) else {
      throw error(key, "is out of range", allowed: allowed)
    }
    return number
  }

  func texts(_ key: String) throws(ProfileError) -> [String] {
    let node = try node(key)
    guard case .list(let elements) = node.value else {
      throw error(key, "must be a list of texts, not \(node.kind)")
    }
    var texts: [String] = []
    for element in elements {
      guard case .text(let text) = element.value, !text.isEmpty else {
        throw error(
          key, "must hold texts that are not empty, not \(element.kind)", at: element.place)
      }
      texts.append(text)
    }
    return texts
  }

  func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String, as type: Choice.Type
  ) throws(ProfileError) -> Choice where Choice.RawValue == String {
    let text = try text(key)
    guard let choice = Choice(rawValue: text) else {
      throw error(
        key, "'\(text)' is not known here", allowed: Choice.allCases.map(\.rawValue))
    }
    return choice
  }
}

extension ObjectReader {
  /// An error by its C name.
  func errno(_ key: String) throws(ProfileError) -> Errno {
    let text = try text(key)
    guard let errno = Errno(name: text) else {
      throw error(
        key, "'\(text)' is not the name of an error",
        allowed: ["a C name, such as EPERM or ETIMEDOUT"])
    }
    return errno
  }

  /// A duration that ends.
  func duration(_ key: String) throws(ProfileError) -> Duration {
    let text = try text(key)
    guard let duration = DurationText.parse(text) else {
      throw error(
        key, "'\(text)' is not a duration", allowed: [DurationText.explanation])
    }
    return duration
  }

  /// A duration, or nil for "never".
  func durationOrNever(_ key: String) throws(ProfileError) -> Duration? {
    let text = try text(key)
    if text == DurationText.never { return nil }
    guard let duration = DurationText.parse(text) else {
      throw error(
        key, "'\(text)' is not a duration", allowed: [DurationText.explanation, "never"])
    }
    return duration
  }

  /// An answer of the dial.
  func answer(_ key: String, mayWait: Bool, why: String = "") throws(ProfileError) -> Answer {
    let text = try text(key)
    let words = mayWait ? ["present", "missing", "wait"] : ["present", "missing"]
    let allowed = words + ["the C name of an error, such as ETIMEDOUT"]
    switch text {
    case "present": return .present
    case "missing", "ENOENT": return .missing
    case "wait":
      guard mayWait else { throw error(key, "'wait' is not allowed here\(why)", allowed: allowed) }
      return .wait
    default:
      guard let errno = Errno(name: text) else {
        throw error(
          key, "'\(text)' is neither an answer nor the name of an error", allowed: allowed)
      }
      return .error(errno)
    }
  }
}
