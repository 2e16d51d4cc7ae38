public import Platform

extension [UInt8] {
  /// Copies bytes that are valid only during a call.
  public init(copying bytes: Span<UInt8>) { self = bytes.withUnsafeBufferPointer { Array($0) } }

  /// Copies bytes that are valid only during a call.
  public init(copying bytes: RawSpan) { self = bytes.withUnsafeBytes { Array($0) } }
}

extension FileName {
  /// Copies a name of a request; nil for `.` and `..`.
  public init?(copying name: Span<UInt8>) { self.init([UInt8](copying: name)) }
}
