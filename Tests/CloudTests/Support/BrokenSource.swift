import Cloud

/// Content whose second piece does not come.
struct BrokenSource: ContentSource {
  enum How: CaseIterable, Sendable {
    case short, failing, cancelled

    var expected: CloudError.Code {
      switch self {
      case .short: .corrupt
      case .failing: .timedOut
      case .cancelled: .cancelled
      }
    }
  }

  let how: How
  init(_ how: How) { self.how = how }

  var size: Int64 { 3 << 20 }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    guard offset > 0 else { return ContentBytes(repeating: 7, count: count) }
    switch how {
    case .short: return []
    case .failing: throw CloudError(.timedOut, "No more comes.")
    case .cancelled:
      withUnsafeCurrentTask { $0?.cancel() }
      return ContentBytes(repeating: 7, count: count)
    }
  }
}
