import Cloud
import Testing

struct ChecksumTests {
  @Test(
    "The checksum is SHA-256, whole or in pieces",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
  func vectors(_ text: String, _ digits: String) {
    let bytes = Array(text.utf8)
    #expect(Checksum(of: bytes).hexadecimal == digits)
    var hasher = ContentHasher()
    for byte in bytes { hasher.update([byte]) }
    #expect(hasher.finish().hexadecimal == digits)
  }
}
