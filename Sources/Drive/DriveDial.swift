import Catalog
import Cloud
import Platform
import Profiles

extension Drive {
  /// Whether everything that a row names is on this device, so that the kernel may keep it.
  func isLocal(_ entry: Entry) -> Bool {
    switch entry.kind {
    case .file: entry.residency == .materialized || settings.representation.placeholder == .none
    case .folder: entry.isPopulated
    case .symlink: true
    }
  }

  /// Whether the row's content can be read now.
  func hasContent(_ entry: Entry) -> Bool { entry.residency == .materialized }

  /// Where a version's content is, for whoever has read a row that says that it is not here.
  func contentState(of key: ContentKey) -> ContentState {
    if materializer.isRunning(key) { return .coming }
    // A transfer publishes before it ends, so it may have done both since the row was read.
    return isMaterialized(key) ? .here : .away
  }

  /// Answers a request on a document as the dial says.
  ///
  /// `value` makes the real answer; it runs now, or when the wait has ended well.
  func react<Value: Sendable>(
    _ callClass: CallClass, to node: Node, _ id: NodeID, _ caller: Caller, need: Need = .document,
    value: @escaping @Sendable () -> Result<Value, Errno>
  ) -> Outcome<Value> {
    let reaction = settings.representation.dial[callClass]
    let record = begin(callClass, id, node.entry, caller)
    let key = ContentKey(inode: node.entry.inode, serial: node.entry.contentSerial)
    let (answer, starts) = reaction.to(contentState(of: key))
    let terms = WaitTerms(reaction)
    let wait = answer == .wait ? materializer.wait(key, need: need, terms) : nil
    if starts == .content { materializer.start(key, callClass: callClass, cause: record) }
    return recorded(record, started: starts, outcome(of: answer, wait: wait, value: value))
  }

  private func outcome<Value: Sendable>(
    of answer: Answer, wait: Ticket<Void>?, value: @escaping @Sendable () -> Result<Value, Errno>
  ) -> Outcome<Value> {
    if let refusal = answer.refusal { return .failed(refusal) }
    if let wait { return .pending(wait.map { value() }) }
    return Outcome<Void>.ready(()).map { value() }
  }
}

/// Where a version's content is.
enum ContentState: Sendable {
  case here, coming, away
}

extension Reaction {
  /// What a call gets at first, and what it starts.
  func to(_ state: ContentState) -> (answer: Answer, starts: Starts) {
    switch state {
    case .here: (.present, .nothing)
    case .coming: (whileMaterializing, .nothing)
    case .away: (answer, starts)
    }
  }

  /// Whether a call is answered as if the document were here, and starts nothing.
  var isTransparent: Bool {
    answer == .present && whileMaterializing == .present && starts == .nothing
  }
}

extension Answer {
  /// The error that a caller gets at once; nil when it gets none.
  var refusal: Errno? {
    switch self {
    case .missing: .noSuchFile
    case .error(let error): error
    case .present, .wait: nil
    }
  }
}

/// How a held reply ends when the item does not come.
struct WaitTerms: Sendable {
  let patience: Duration?
  let outOfPatience: Answer
  let unreachable: Answer

  init(_ reaction: Reaction) {
    self.init(
      patience: reaction.patience, outOfPatience: reaction.outOfPatience,
      unreachable: reaction.unreachable)
  }

  init(patience: Duration?, outOfPatience: Answer, unreachable: Answer) {
    self.patience = patience
    self.outOfPatience = outOfPatience
    self.unreachable = unreachable
  }

  func result(after error: CloudError, isByName: Bool) -> Result<Void, Errno> {
    if error.meansUnreachable { return Self.result(of: unreachable) }
    // A name whose item is gone is missing; a handle on a version that is gone is stale.
    if isByName, error.code == .notFound { return .failure(.noSuchFile) }
    return .failure(error.errno)
  }

  static func result(of answer: Answer) -> Result<Void, Errno> {
    switch answer {
    case .present: .success(())
    case .missing: .failure(.noSuchFile)
    case .wait: .failure(.timedOut)
    case .error(let error): .failure(error)
    }
  }
}

/// What a waiting caller needs before it can go on.
struct Need: Sendable {
  /// The bytes it needs; nil for the whole content, verified and published.
  let range: ByteRange?
  /// Whether the caller asked for a name, so that a newer version serves it as well. A handle wants
  /// the version that it opened.
  let isByName: Bool

  /// The document under a name, whole.
  static let document = Need(range: nil, isByName: true)
  /// The version of a handle, whole.
  static let version = Need(range: nil, isByName: false)
}
