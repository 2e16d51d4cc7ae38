import Foundation
import MountKit
import Testing

/// Runs blocking tests on threads of their own, since those of a task are few and must not wait.
enum OwnThreads {
  // Each holds a world and several programs, and the machine may have two cores.
  private static let worlds = DispatchSemaphore(value: 3)

  /// Runs `body` on a thread and reports what it complains of as issues of the present test.
  static func run(
    _ sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (Complaints) throws -> Void
  ) async {
    let complaints = Complaints()
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        worlds.wait()
        do { try body(complaints) } catch { complaints.add("\(error)") }
        worlds.signal()
        continuation.resume()
      }
    }
    for complaint in complaints.all {
      Issue.record(Comment(rawValue: complaint), sourceLocation: sourceLocation)
    }
  }

  /// Runs `body` for all elements on a few threads at once, and returns when all have ended.
  static func forEach<Element: Sendable>(
    _ elements: [Element], threads: Int = 4, _ body: @escaping @Sendable (Element) -> Void
  ) {
    let next = Counter()
    let ended = DispatchGroup()
    for _ in 0..<threads {
      ended.enter()
      Thread.detachNewThread {
        while let index = next.take(below: elements.count) { body(elements[index]) }
        ended.leave()
      }
    }
    ended.wait()
  }
}

/// What did not come out as it should, from any thread.
final class Complaints: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []

  var all: [String] { lock.withLock { texts } }

  func add(_ text: String) { lock.withLock { texts.append(text) } }

  /// Complains unless `condition` holds.
  func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { add(text()) }
  }
}

private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0

  func take(below end: Int) -> Int? {
    lock.withLock {
      guard value < end else { return nil }
      value += 1
      return value - 1
    }
  }
}

extension TestProgram {
  /// Waits for its end; kills it when that does not come, so that no test hangs.
  func finishInTime(_ limit: Duration = MatrixSettings.patience) throws -> Ended {
    let done = DispatchSemaphore(value: 0)
    let milliseconds = Int(limit.components.seconds) * 1000
    let watch = Watch()
    Thread.detachNewThread { [self] in
      if done.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut {
        watch.hasBitten = true
        signal(SIGKILL)
      }
    }
    let ended = finish()
    done.signal()
    if watch.hasBitten { throw TestFailure("the program hangs") }
    return ended
  }

  /// Waits until it has stopped itself.
  func awaitStop() throws {
    var info = siginfo_t()
    guard waitid(P_PID, id_t(process), &info, WSTOPPED | WEXITED | WNOWAIT) == 0,
      info.si_code == CLD_STOPPED_CODE
    else { throw TestFailure("the program has ended instead of stopping") }
  }
}

// CLD_STOPPED is an enumerator that the importer leaves out.
private let CLD_STOPPED_CODE: Int32 = 5

private final class Watch: @unchecked Sendable {
  private let lock = NSLock()
  private var bitten = false
  var hasBitten: Bool {
    get { lock.withLock { bitten } }
    set { lock.withLock { bitten = newValue } }
  }
}
