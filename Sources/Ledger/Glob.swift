/// A shell pattern for paths.
struct Glob {
  private enum Part: Equatable {
    case scalar(Unicode.Scalar)
    /// `?`: one character of a component.
    case one
    /// `*`: any characters of a component.
    case some
    /// `**`: any characters.
    case all
  }

  private let parts: [Part]

  init(_ pattern: String) {
    var parts: [Part] = []
    for scalar in pattern.unicodeScalars {
      switch scalar {
      case "*" where parts.last == .some || parts.last == .all: parts[parts.count - 1] = .all
      case "*": parts.append(.some)
      case "?": parts.append(.one)
      default: parts.append(.scalar(scalar))
      }
    }
    self.parts = parts
  }

  func matches(_ path: String) -> Bool {
    // Every position in the pattern that is possible after each character: the time is bounded by the
    // product of both lengths, whatever the pattern is.
    var possible = reachable(from: [0])
    for scalar in path.unicodeScalars {
      possible = reachable(from: Set(possible.compactMap { after($0, scalar) }))
    }
    return possible.contains(parts.count)
  }

  /// The position after matching a character at one; nil when it does not match.
  private func after(_ position: Int, _ scalar: Unicode.Scalar) -> Int? {
    guard position < parts.count else { return nil }
    switch parts[position] {
    case .scalar(let wanted): return wanted == scalar ? position + 1 : nil
    case .one: return scalar != "/" ? position + 1 : nil
    case .some: return scalar != "/" ? position : nil
    case .all: return position
    }
  }

  /// The positions, and those that are reached by matching nothing.
  private func reachable(from positions: Set<Int>) -> Set<Int> {
    var all = positions
    for position in positions {
      var next = position
      while next < parts.count, parts[next] == .some || parts[next] == .all {
        next += 1
        all.insert(next)
      }
    }
    return all
  }
}
