internal import Foundation

/// How messages are written: JSON-RPC 2.0, one message a line.
enum Wire {
  /// The longest line that a server reads, in bytes, without its line feed.
  static let maximumRequest = 4 << 20
  /// The longest line that a client reads.
  static let maximumReply = 64 << 20

  /// The JSON of a value, with sorted keys.
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
    try JSONDecoder().decode(type, from: line)
  }

  /// `{"id":…,"jsonrpc":"2.0","result":…}`
  static func result(_ result: Data, of request: RequestID) -> Data {
    line(["\"id\":", id(request), ",\"jsonrpc\":\"2.0\",\"result\":"], result)
  }

  /// `{"id":…,"jsonrpc":"2.0","error":…}`
  static func failure(_ error: ControlError, of request: RequestID) -> Data {
    let data = ErrorObject.Details(remedy: error.remedy, errno: error.errno)
    let object = ErrorObject(
      code: error.code.rawValue, message: error.message,
      data: data.remedy == nil && data.errno == nil ? nil : data)
    let body = (try? encode(object)) ?? Data("{\"code\":-32603,\"message\":\"\"}".utf8)
    return line(["\"id\":", id(request), ",\"jsonrpc\":\"2.0\",\"error\":"], body)
  }

  /// `{"jsonrpc":"2.0","method":…,"params":{"request":…,"value":…}}`
  static func notification(_ method: String, of request: RequestID, value: Data) -> Data {
    var params = Data("{\"request\":\(id(request)),\"value\":".utf8)
    params.append(value)
    params.append(UInt8(ascii: "}"))
    return line(["\"jsonrpc\":\"2.0\",\"method\":\"", method, "\",\"params\":"], params)
  }

  /// `{"id":…,"jsonrpc":"2.0","method":…,"params":…}`, without an id for a notification.
  static func request(_ method: String, id request: RequestID?, params: Data) -> Data {
    let identity = request.map { "\"id\":\(id($0))," } ?? ""
    return line([identity, "\"jsonrpc\":\"2.0\",\"method\":\"", method, "\",\"params\":"], params)
  }

  private static func line(_ head: [String], _ last: Data) -> Data {
    var line = Data("{".utf8)
    for text in head { line.append(contentsOf: text.utf8) }
    line.append(last)
    line.append(contentsOf: "}\n".utf8)
    return line
  }

  private static func id(_ request: RequestID) -> String {
    (try? encode(request)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }
}

/// JSON-RPC's error object.
struct ErrorObject: Codable {
  struct Details: Codable {
    var remedy: String?
    var errno: String?
  }
  var code: Int
  var message: String
  var data: Details?

  var error: ControlError {
    var error = ControlError(ControlError.Code(rawValue: code), message, remedy: data?.remedy)
    error.errno = data?.errno
    return error
  }
}

/// The parts of a request that are read before its method is known.
struct RequestHeader: Decodable {
  var jsonrpc: String?
  var id: RequestID?
  var method: String?

  private enum Key: String, CodingKey { case jsonrpc, id, method }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    jsonrpc = try? container.decodeIfPresent(String.self, forKey: .jsonrpc)
    id =
      container.contains(.id) ? (try? container.decode(RequestID.self, forKey: .id)) ?? .null : nil
    method = try? container.decodeIfPresent(String.self, forKey: .method)
  }
}

/// The parameters of a request; an absent object counts as an empty one.
struct RequestBody<Params: Decodable>: Decodable {
  var params: Params

  private enum Key: String, CodingKey { case params }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    guard container.contains(.params) else {
      params = try Wire.decode(Params.self, from: Data("{}".utf8))
      return
    }
    params = try container.decode(Params.self, forKey: .params)
  }
}

extension ControlError {
  /// What is wrong with parameters, in words.
  init(_ error: DecodingError) {
    let (path, problem): ([any CodingKey], String) =
      switch error {
      case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
      case .valueNotFound(_, let context): (context.codingPath, "must not be null")
      case .typeMismatch(let type, let context): (context.codingPath, "must be \(Self.word(type))")
      case .dataCorrupted(let context): (context.codingPath, context.debugDescription)
      @unknown default: ([], "cannot be read")
      }
    let place = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    self.init(
      .invalidParameters, "\(place.isEmpty ? "params" : String(place.dropFirst())): \(problem)",
      remedy: "see docs/control.md for the method's parameters")
  }

  private static func word(_ type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any FloatingPoint.Type: "a number"
    case is [Any].Type: "a list"
    default: "an object"
    }
  }
}
