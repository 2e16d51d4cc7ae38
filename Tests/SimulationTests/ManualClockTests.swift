import Platform
import Simulation
import Testing

@Suite(.timeLimit(.minutes(15)))
struct ManualClockTests {
  private let clock = ManualClock()
  private let log = Locked<[String]>([])

  private func note(_ text: String) {
    log.withLock { $0.append("\(text)@\(clock.now.nanoseconds)") }
  }

  private func schedule(_ text: String, after nanoseconds: Int64) -> any WorldTimer {
    clock.schedule(after: .nanoseconds(nanoseconds)) { note(text) }
  }

  @Test("Actions run in the order of their deadlines, then of their scheduling, at their moments")
  func order() {
    for (text, delay) in [("c", 30), ("a", 10), ("b1", 20), ("b2", 20), ("d", 40)] {
      _ = schedule(text, after: Int64(delay))
    }
    #expect(clock.pendingCount == 5)
    #expect(clock.nextDeadline == WorldTime(nanoseconds: 10))
    clock.advance(by: .nanoseconds(30))
    #expect(log.withLock { $0 } == ["a@10", "b1@20", "b2@20", "c@30"])
    #expect(clock.now == WorldTime(nanoseconds: 30))
    #expect(clock.pendingCount == 1)
    // What is pending holds the clock that holds it.
    clock.advance(by: .seconds(1))
  }

  @Test("An action that is scheduled during an advance runs in it if it falls into it")
  func nested() {
    _ = clock.schedule(after: .nanoseconds(10)) {
      note("first")
      _ = schedule("inside", after: 5)
      _ = schedule("outside", after: 50)
    }
    _ = schedule("second", after: 20)
    clock.advance(by: .nanoseconds(30))
    #expect(log.withLock { $0 } == ["first@10", "inside@15", "second@20"])
    #expect(clock.nextDeadline == WorldTime(nanoseconds: 60))
    clock.advance(by: .seconds(1))
  }

  @Test("A cancelled action does not run, and what has passed runs at once")
  func cancelledAndPast() {
    schedule("never", after: 10).cancel()
    clock.advance(by: .nanoseconds(20))
    _ = clock.schedule(at: WorldTime(nanoseconds: 5)) { note("late") }
    #expect(log.withLock { $0 } == ["late@20"])
    #expect(clock.pendingCount == 0)
  }

  @Test("Time does not go back, and the next deadline can be jumped to")
  func jumping() {
    _ = schedule("a", after: 10)
    #expect(clock.advanceToNextDeadline())
    #expect(!clock.advanceToNextDeadline())
    clock.advance(to: WorldTime(nanoseconds: 3))
    #expect(clock.now == WorldTime(nanoseconds: 10))
  }

  @Test("A sleeping task wakes at its moment, not before")
  func sleeping() async throws {
    let task = Task { try await clock.sleep(for: .seconds(5)) }
    try await clock.waitForPending()
    clock.advance(by: .seconds(4))
    #expect(clock.pendingCount == 1)
    clock.advance(by: .seconds(1))
    try await task.value
    #expect(clock.pendingCount == 0)
  }

  @Test("A task that waits for pending actions can be cancelled")
  func cancelledWatch() async {
    let task = Task { try await clock.waitForPending(3) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
