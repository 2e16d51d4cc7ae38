import Fuse
import Glibc

/// What the kernel can do that must be known before the mount is negotiated.
struct KernelSupport {
  /// Which features may be negotiated.
  let features: KernelFeatures
  /// Whether a file that is read without the page cache can be mapped shared (Linux 6.6).
  ///
  /// Where it cannot, documents that are not here go through the page cache, and reads come one at a
  /// time, since an asynchronous read that is held could not be interrupted.
  let mapsDirectly: Bool

  init(_ assumed: String?) {
    features = assumed == "6.1" ? .linux6_1 : .all
    mapsDirectly = features.contains(.directIOAllowsMapping) && Self.release >= (6, 6)
  }

  private static var release: (Int, Int) {
    var name = utsname()
    uname(&name)
    let text = withUnsafeBytes(of: &name.release) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    let parts = text.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return parts.count == 2 ? (parts[0], parts[1]) : (0, 0)
  }
}
