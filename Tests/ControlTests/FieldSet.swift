import Foundation

/// The fields of one message type, found by letting it decode from a decoder that has everything.
struct FieldSet {
  let type: String
  let fields: [String]

  static func all(in types: any Decodable.Type...) throws -> [FieldSet] {
    let collector = Collector()
    for type in types { _ = try collector.value(of: type) }
    return collector.sets
  }
}

private final class Collector {
  var sets: [FieldSet] = []
  private var known: Set<String> = []

  /// Some value of the type; an enumeration gives its first case.
  func value<Value: Decodable>(of type: Value.Type) throws -> Value {
    if let cases = type as? any CaseIterable.Type, let first = Self.first(of: cases) as? Value {
      return first
    }
    if let data = Data() as? Value { return data }
    let decoder = RecordingDecoder(collector: self)
    let value = try Value(from: decoder)
    if !decoder.fields.isEmpty, known.insert("\(type)").inserted {
      sets.append(FieldSet(type: "\(type)", fields: decoder.fields))
    }
    return value
  }

  private static func first(of type: any CaseIterable.Type) -> Any? {
    func open<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { type.allCases.first }
    return open(type)
  }
}

private final class RecordingDecoder: Decoder {
  let collector: Collector
  var fields: [String] = []
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(collector: Collector) { self.collector = collector }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(decoder: self))
  }
  func unkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed(decoder: self) }
  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }
}

private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool { false }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    decoder.fields.append(key.stringValue)
    return try decoder.collector.value(of: type)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> { decoder.container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    decoder.unkeyedContainer()
  }
  func superDecoder() -> any Decoder { decoder }
  func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

/// A list with one element.
private struct Unkeyed: UnkeyedDecodingContainer {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { [] }
  var count: Int? { 1 }
  var currentIndex = 0
  var isAtEnd: Bool { currentIndex > 0 }

  init(decoder: RecordingDecoder) { self.decoder = decoder }

  mutating func decodeNil() -> Bool { false }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    currentIndex += 1
    return try decoder.collector.value(of: type)
  }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedDecodingContainer<Nested> { decoder.container(keyedBy: type) }
  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
  mutating func superDecoder() -> any Decoder { decoder }
}

private struct Single: SingleValueDecodingContainer {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }
  func decode(_ type: String.Type) -> String { "" }
  func decode(_ type: Bool.Type) -> Bool { false }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let integer = type as? any FixedWidthInteger.Type,
      let zero = integer.init(exactly: 0) as? Value
    {
      return zero
    }
    return try decoder.collector.value(of: type)
  }
}
