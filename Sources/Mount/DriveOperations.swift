public import Drive
public import Fuse
import Platform
import Profiles

/// A drive as FUSE operations: each hands its request to the drive and carries the answer back.
///
/// What the drive answers at once is answered on the FUSE thread; what waits is kept in a reply slot
/// and occupies no thread.
public final class DriveOperations: FuseOperations {
  let drive: Drive
  let view: NodeView
  let interrupts: InterruptPolicy
  let backings: Backings

  /// Serves a drive that was made with `settings`.
  ///
  /// - Parameter passthrough: the session's, for content that the kernel reads by itself.
  public init(_ drive: Drive, settings: DriveSettings, passthrough: Passthrough) {
    self.drive = drive
    view = NodeView(settings)
    interrupts = InterruptPolicy(settings.representation.interruptible)
    backings = Backings(passthrough)
  }

  /// Answers everything that is held, so that the mount can go.
  public func sessionWillStop() { drive.stop() }

  /// Nobody waits any more.
  public func sessionDidEnd(_ reason: SessionEnd) { drive.stop() }
}

extension DriveOperations {
  /// Answers when the outcome is there, or at the caller's interrupt.
  func answer<Value: Sendable, Payload: ReplyPayload & SendableMetatype>(
    _ outcome: Outcome<Value>, _ reply: consuming Reply<Payload>,
    _ send: @escaping @Sendable (consuming Reply<Payload>, Value) -> Void
  ) {
    switch outcome {
    case .ready(let value): send(reply, value)
    case .failed(let error): reply.fail(error)
    case .pending(let ticket): hold(reply, ticket, send)
    }
  }

  private func hold<Value: Sendable, Payload: ReplyPayload & SendableMetatype>(
    _ reply: consuming Reply<Payload>, _ ticket: Ticket<Value>,
    _ send: @escaping @Sendable (consuming Reply<Payload>, Value) -> Void
  ) {
    let (thread, isPage) = (reply.caller.thread, reply.fillsPageCache)
    let slot = ReplySlot(reply) { [interrupts] _ in
      interrupts.end(ticket, of: thread, fillsPageCache: isPage)
    }
    ticket.whenFinished { result in
      guard let reply = slot.take() else { return }
      switch result {
      case .success(let value): send(reply, value)
      case .failure(let error): reply.fail(error)
      }
    }
  }
}
