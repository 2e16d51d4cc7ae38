internal import Platform

extension CallClass {
  /// Whether a profile may have the reply of this class held.
  ///
  /// The kernel keeps a folder locked while one of the others runs, so that holding it would stall
  /// every program there, beyond the reach of any signal. LINK is locked too, but what it links is
  /// looked at before: the drive moves the wait there.
  var mayWait: Bool {
    switch self {
    case .stat, .access, .open, .read, .write, .truncate, .readdir, .link, .explicit: true
    case .lookup, .xattr, .rename, .unlink: false
    }
  }
}

extension Dial {
  init(_ outer: ObjectReader, _ key: String) throws(ProfileError) {
    let reader = try outer.object(key, keys: CallClass.allCases.map(\.rawValue))
    var reactions: [CallClass: Reaction] = [:]
    for callClass in CallClass.allCases {
      reactions[callClass] = try Reaction(reader, callClass)
    }
    let read = reactions
    self.init { read[$0] ?? .nothing }
  }

  var node: JSON5Node {
    .object(CallClass.allCases.map { ($0.rawValue, self[$0].node) })
  }
}

extension Reaction {
  private static let keys = [
    "answer", "starts", "whileMaterializing", "patience", "outOfPatience", "unreachable",
  ]

  /// The real answer at once, and nothing started.
  static let nothing = Reaction(
    answer: .present, starts: .nothing, whileMaterializing: .present, patience: nil,
    outOfPatience: .present, unreachable: .present)

  init(_ outer: ObjectReader, _ callClass: CallClass) throws(ProfileError) {
    let reader = try outer.object(callClass.rawValue, keys: Self.keys)
    let locked = callClass.mayWait ? "" : ": the kernel keeps the folder locked during this call"
    self.init(
      answer: try reader.answer("answer", mayWait: callClass.mayWait, why: locked),
      starts: try reader.choice("starts", as: Starts.self),
      whileMaterializing: try reader.answer(
        "whileMaterializing", mayWait: callClass.mayWait, why: locked),
      patience: try reader.durationOrNever("patience"),
      outOfPatience: try reader.answer(
        "outOfPatience", mayWait: false, why: ": the wait has just ended"),
      unreachable: try reader.answer(
        "unreachable", mayWait: false, why: ": the transfer has just failed"))
    if answer == .wait, starts == .nothing {
      throw reader.error(
        "starts", "must start what the answer waits for",
        allowed: [Starts.metadata.rawValue, Starts.content.rawValue])
    }
  }

  var node: JSON5Node {
    .object([
      ("answer", .text(answer.text)),
      ("starts", .text(starts.rawValue)),
      ("whileMaterializing", .text(whileMaterializing.text)),
      ("patience", .text(DurationText.text(patience))),
      ("outOfPatience", .text(outOfPatience.text)),
      ("unreachable", .text(unreachable.text)),
    ])
  }
}
