internal import CCrypto

/// Computes the SHA-256 of content that arrives in pieces.
public struct ContentHasher: ~Copyable, @unchecked Sendable {
  // Owned by this value alone, which cannot be copied; hence Sendable.
  private let context: OpaquePointer?

  /// Starts with no bytes.
  public init() {
    context = EVP_MD_CTX_new()
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  public mutating func update(_ bytes: some ContiguousBytesOfContent) {
    bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
  }

  /// The checksum of everything that was added.
  public consuming func finish() -> Checksum {
    let bytes = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      var length: UInt32 = 0
      EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
      count = Int(length)
    }
    return Checksum(sha256: bytes)
  }
}

/// Bytes that lie in one piece of memory: an array, a slice of one, or a buffer.
public protocol ContiguousBytesOfContent {
  /// Lends the memory to `body`.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
}

extension Array: ContiguousBytesOfContent where Element == UInt8 {}
extension ArraySlice: ContiguousBytesOfContent where Element == UInt8 {}
extension UnsafeRawBufferPointer: ContiguousBytesOfContent {
  /// Lends the memory itself.
  public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result { try body(self) }
}

extension Checksum {
  /// The checksum of bytes that are all there.
  public init(of bytes: some ContiguousBytesOfContent) {
    var hasher = ContentHasher()
    hasher.update(bytes)
    self = hasher.finish()
  }

  /// The 32 bytes as 64 hexadecimal digits.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: sha256.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
