/// Copies of a name that the kernel lent for one request.
extension Span where Element == UInt8 {
  var copied: [UInt8] { withUnsafeBufferPointer { Array($0) } }
  var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}
