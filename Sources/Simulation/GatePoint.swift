public import Platform

/// What is asked of a cloud.
public enum CloudOperation: String, Hashable, CaseIterable, Sendable {
  /// The state of one item.
  case item
  /// A page of a folder.
  case enumerate
  /// The anchor of the present state.
  case anchor
  /// What has changed.
  case changes
  /// Content.
  case content
  /// A new item.
  case create
  /// New content or metadata.
  case modify
  /// Another name or folder.
  case move
  /// A deletion.
  case delete
  /// The room of the account.
  case quota
}

/// A step of a change in the folder that is the cloud.
public enum CloudStep: String, Hashable, CaseIterable, Sendable {
  /// What shall be put in place is whole, and lies beside.
  case staged
  /// The folder is about to change.
  case renaming
  /// It has changed; what was there before was not looked at yet.
  case renamed
  /// The cloud's index knows it.
  case recorded
}

/// Where a gate can hold.
public enum GatePoint: Hashable, Sendable {
  /// A checkpoint of a transfer.
  case checkpoint(Checkpoint)
  /// The byte at this position of the file has arrived and was not handed on yet: exactly so many bytes
  /// of the file were. At the file's size, all of it was.
  case byte(Int64)
  /// The byte at this position of a document that is uploaded was not sent yet: exactly so many bytes
  /// were. At the document's size, all of it was.
  case uploadByte(Int64)
  /// The cloud has answered, and the answer was not handed on yet.
  case reply(CloudOperation)
  /// A step of a change in the folder that is the cloud.
  case cloud(CloudStep)

  /// A transfer was asked for.
  public static let requested = GatePoint.checkpoint(.requested)
  /// Nothing of the content was handed on yet.
  public static let firstByte = GatePoint.checkpoint(.firstByte)
  /// All of the content but the last byte was handed on.
  public static let lastByte = GatePoint.checkpoint(.lastByte)
  /// Content is whole, but not yet the item's content.
  public static let beforePublish = GatePoint.checkpoint(.beforePublish)
  /// Content is the item's content; nobody was told yet.
  public static let published = GatePoint.checkpoint(.published)

  /// Whether somebody can be held there. Elsewhere the kernel or the cloud would stand still, so a gate
  /// there can only end the process.
  public var canHold: Bool {
    switch self {
    case .byte, .uploadByte, .reply: true
    case .checkpoint(let checkpoint): Self.holding.contains(checkpoint)
    case .cloud: false
    }
  }

  /// Whether what arrives there has a path.
  public var hasPath: Bool { if case .cloud = self { false } else { true } }

  private static let holding: [Checkpoint] = [
    .requested, .firstByte, .lastByte, .beforePublish, .published, .uploadRequested,
    .uploadFirstByte, .uploadLastByte, .uploaded, .uploadNoted,
  ]
  private static let deadly: [Checkpoint] = ChangingCall.allCases.flatMap {
    [.before($0), .after($0)]
  }
  fileprivate static let checkpoints = holding + deadly
}

extension GatePoint: LosslessStringConvertible {
  /// The point as it is written: `first-byte`, `byte:1000`, `reply:enumerate`.
  public var description: String {
    switch self {
    case .checkpoint(let checkpoint): checkpoint.rawValue
    case .byte(let position): "byte:\(position)"
    case .uploadByte(let position): "upload-byte:\(position)"
    case .cloud(let step): "cloud:\(step.rawValue)"
    case .reply(let operation): "reply:\(operation.rawValue)"
    }
  }

  /// Reads a point as it is written; nil when there is no such point.
  public init?(_ text: String) {
    if let position = text.tail(behind: "byte:") {
      guard let position = Int64(position), position >= 0 else { return nil }
      self = .byte(position)
    } else if let position = text.tail(behind: "upload-byte:") {
      guard let position = Int64(position), position >= 0 else { return nil }
      self = .uploadByte(position)
    } else if let name = text.tail(behind: "cloud:") {
      guard let step = CloudStep(rawValue: name) else { return nil }
      self = .cloud(step)
    } else if let name = text.tail(behind: "reply:") {
      guard let operation = CloudOperation(rawValue: name) else { return nil }
      self = .reply(operation)
    } else {
      let checkpoint = Checkpoint(rawValue: text)
      guard Self.checkpoints.contains(checkpoint) else { return nil }
      self = .checkpoint(checkpoint)
    }
  }
}

extension String {
  fileprivate func tail(behind prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
