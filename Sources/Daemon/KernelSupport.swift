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

  private static var release: (Int, Int) { numbers(of: releaseText) }

  /// The release of the kernel that runs, such as "6.1.0-18-amd64".
  static var releaseText: String {
    var name = utsname()
    uname(&name)
    return withUnsafeBytes(of: &name.release) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The first two numbers of a release; zeros when there are none.
  static func numbers(of release: String) -> (Int, Int) {
    let parts = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return parts.count == 2 ? (parts[0], parts[1]) : (0, 0)
  }
}

extension HostFacts {
  /// What the kernel adds to what every supported one can do, in a few words each.
  public var kernelFeatures: [String] {
    let release = KernelSupport.numbers(of: kernel)
    var features: [String] = []
    if release >= (6, 6) { features.append("shared mappings of documents that are not here") }
    if release >= (6, 9), mountsDirectly { features.append("passthrough") }
    return features
  }
}
