import Drive
import Platform
import Profiles

/// Which interrupts end a held reply.
///
/// The kernel sends one INTERRUPT for the first signal and then waits for an answer, even after
/// SIGKILL. So where only a fatal signal may end the wait, an interrupt that was not fatal is looked
/// into again until one is.
struct InterruptPolicy: Sendable {
  private let rule: Interruptible
  // Real time, whatever the world's clock says: signals are not simulated.
  private let clock = SystemClock()
  private static let lookAgainAfter: Duration = .milliseconds(50)

  init(_ rule: Interruptible) { self.rule = rule }

  func end<Value>(_ ticket: Ticket<Value>, of thread: Int32) {
    guard rule == .fatalOnly, !PendingSignals.areFatal(for: thread) else { return ticket.cancel() }
    let timer = clock.schedule(after: Self.lookAgainAfter) { end(ticket, of: thread) }
    ticket.whenFinished { _ in timer.cancel() }
  }
}
