import Cloud
import Platform

/// What happens at the steps of writes, in order: each line waits for its step.
final class WritingScript: Sendable {
  struct Line: Sendable {
    let step: WritingStep
    let action: @Sendable () -> Errno?
  }

  private let lines = Locked<[Line]>([])
  private let seen = Locked<[WritingStep]>([])

  /// How many lines did not have their turn.
  var rest: Int { lines.withLock { $0.count } }
  /// The steps that were reached since the script was set.
  var steps: [WritingStep] { seen.withLock { $0 } }

  func set(_ new: [Line]) {
    lines.withLock { $0 = new }
    seen.withLock { $0 = [] }
  }

  var hook: WritingHook {
    WritingHook { [weak self] step in
      guard let self else { return nil }
      seen.withLock { $0.append(step) }
      let line: Line? = lines.withLock { lines in
        guard lines.first?.step == step else { return nil }
        return lines.removeFirst()
      }
      return line?.action()
    }
  }
}
