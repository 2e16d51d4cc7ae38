import Drive
import Platform
import Profiles

/// Which interrupts end a held reply.
///
/// The kernel sends one INTERRUPT when the caller is first woken, by whatever: a signal, but also a
/// debugger or a suspend of the machine. Then it waits for an answer, even after SIGKILL. So an
/// interrupt that is no reason to give up is looked into again until one is.
struct InterruptPolicy: Sendable {
  private let rule: Interruptible
  // Real time, whatever the world's clock says: signals are not simulated.
  private let clock = SystemClock()
  private static let lookAgainAfter: Duration = .milliseconds(50)

  init(_ rule: Interruptible) { self.rule = rule }

  /// Ends the wait of a thread, now or as soon as there is a reason.
  ///
  /// - Parameter fillsPageCache: whether the answer is for a page and not for the caller, who would get
  ///   SIGBUS for an error; then only a fatal signal is a reason.
  func end<Value>(_ ticket: Ticket<Value>, of thread: Int32, fillsPageCache: Bool) {
    let isOver =
      rule == .fatalOnly || fillsPageCache
      ? PendingSignals.areFatal(for: thread) : PendingSignals.areNoticed(by: thread)
    guard !isOver else { return ticket.cancel() }
    let timer = clock.schedule(after: Self.lookAgainAfter) {
      end(ticket, of: thread, fillsPageCache: fillsPageCache)
    }
    ticket.whenFinished { _ in timer.cancel() }
  }
}
