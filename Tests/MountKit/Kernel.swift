import Glibc

/// The kernel that a drive may assume. Everything that matters holds on the oldest supported one, too.
public enum Kernel: String, CaseIterable, Sendable, CustomStringConvertible {
  /// The one that runs.
  case running = "the running kernel"
  /// As if it were Linux 6.1.
  case linux6_1 = "Linux 6.1"

  /// What `fauxdrive mount` must be told.
  public var options: [String] { self == .running ? [] : ["--assume-kernel", "6.1"] }

  /// Whether readers of a document that is not here each have a request of their own.
  public var readsDirectly: Bool { self == .running && Self.mapsDirectly }

  /// Its name.
  public var description: String { rawValue }

  private static let mapsDirectly = release >= (6, 6)
}

private let release: (Int, Int) = {
  var name = utsname()
  uname(&name)
  let text = withUnsafeBytes(of: &name.release) {
    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
  }
  let parts = text.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
  return parts.count == 2 ? (parts[0], parts[1]) : (0, 0)
}()
