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

/// Where a gate can hold.
public enum GatePoint: Hashable, Sendable {
  /// A checkpoint of a transfer.
  case checkpoint(Checkpoint)
  /// The byte at this position of the file has arrived and was not handed on yet: exactly so many bytes
  /// of the file were. At the file's size, all of it was.
  case byte(Int64)
  /// The cloud has answered, and the answer was not handed on yet.
  case reply(CloudOperation)

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
}

extension GatePoint: LosslessStringConvertible {
  /// The point as it is written: `first-byte`, `byte:1000`, `reply:enumerate`.
  public var description: String {
    switch self {
    case .checkpoint(let checkpoint): checkpoint.rawValue
    case .byte(let position): "byte:\(position)"
    case .reply(let operation): "reply:\(operation.rawValue)"
    }
  }

  /// Reads a point as it is written; nil when there is no such point.
  public init?(_ text: String) {
    if let position = text.tail(behind: "byte:") {
      guard let position = Int64(position), position >= 0 else { return nil }
      self = .byte(position)
    } else if let name = text.tail(behind: "reply:") {
      guard let operation = CloudOperation(rawValue: name) else { return nil }
      self = .reply(operation)
    } else {
      let points: [GatePoint] = [.requested, .firstByte, .lastByte, .beforePublish, .published]
      guard let point = points.first(where: { $0.description == text }) else { return nil }
      self = point
    }
  }
}

extension String {
  fileprivate func tail(behind prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
