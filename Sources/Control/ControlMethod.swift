/// A method of the control protocol: its name, and what goes with it.
///
/// The server registers a handler for a method, and the client calls it, by this one type.
public protocol ControlMethod: Sendable {
  /// What the caller says.
  associatedtype Params: Codable & Sendable
  /// What it gets.
  associatedtype Result: Codable & Sendable
  /// What it is told meanwhile, if it asks for that.
  associatedtype Progress: Codable & Sendable = Nothing

  /// The name on the wire, such as "item.download".
  static var name: String { get }
  /// The method of its notifications.
  static var notification: String { get }
}

extension ControlMethod {
  /// Notifications of a request are its progress, unless the method says otherwise.
  public static var notification: String { "progress" }
}

/// An empty object.
public struct Nothing: Codable, Hashable, Sendable {
  /// Nothing to say.
  public init() {}
}

/// The identifier that a caller gives a request.
public enum RequestID: Hashable, Sendable {
  /// A number.
  case number(Int64)
  /// A text.
  case text(String)
  /// None that could be read.
  case null
}

extension RequestID: Codable {
  /// Reads a number, a text or null.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let number = try? container.decode(Int64.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  /// Writes it as it came.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .null: try container.encodeNil()
    }
  }
}
