internal import CFuse
internal import Platform
internal import Synchronization

/// Holds a reply until somebody takes it, so that it can travel into closures and tasks.
///
/// Whoever takes the reply first answers it; everybody after gets nil. A slot that goes away with its
/// reply answers EIO. A held reply costs this object and, when it can be interrupted, one entry of a
/// table; no thread waits.
///
/// The interrupt handler runs at most once, when the kernel sends INTERRUPT: on a FUSE thread, or
/// inside `init` when the interrupt came first. It may run just after another thread took the reply,
/// so it must expect `take()` to be nil. It must not block.
public final class ReplySlot<Payload: ReplyPayload>: Interruptible, @unchecked Sendable {
  // The address of the request, or one of the small numbers below.
  private let state: Atomic<UInt>
  private let answer: RequestAnswer
  private let onInterrupt: (@Sendable (ReplySlot<Payload>) -> Void)?

  private static var registering: UInt { 0 }
  private static var interruptedEarly: UInt { 1 }
  private static var taken: UInt { 2 }
  private static var held: UInt { 3 }

  /// Holds a reply that an interrupt does not end.
  public init(_ reply: consuming Reply<Payload>) {
    answer = reply.relinquish()
    onInterrupt = nil
    state = Atomic(Self.held)
  }

  /// Holds a reply, and says what an interrupt of the caller does.
  ///
  /// - Parameter onInterrupt: mostly `{ $0.take()?.fail(.interrupted) }`, after the work was told.
  public init(
    _ reply: consuming Reply<Payload>,
    onInterrupt: @escaping @Sendable (ReplySlot<Payload>) -> Void
  ) {
    var answer = reply.relinquish()
    answer.interruptToken = answer.core._withUnsafeGuaranteedRef { $0.interrupts.makeToken() }
    self.answer = answer
    self.onInterrupt = onInterrupt
    state = Atomic(Self.registering)
    register()
  }

  deinit {
    guard state.load(ordering: .acquiring) == Self.held else { return }
    answer.fail(.io)
  }

  /// The reply, the first time; nil afterwards.
  public func take() -> Reply<Payload>? {
    let (exchanged, _) = state.compareExchange(
      expected: Self.held, desired: Self.taken, ordering: .acquiringAndReleasing)
    return exchanged ? Reply(answer) : nil
  }

  /// Whether nobody has taken the reply yet.
  public var isHeld: Bool { state.load(ordering: .acquiring) == Self.held }

  // libfuse calls the function inside its registration when the interrupt came first, and there the
  // request must not be answered (it would be freed under libfuse's feet). So an early interrupt is
  // only noted, and handled here once the registration is over.
  private func register() {
    answer.core._withUnsafeGuaranteedRef {
      $0.interrupts.register(self, token: answer.interruptToken)
    }
    fuse_req_interrupt_func(
      answer.request, Interrupts.function,
      UnsafeMutableRawPointer(bitPattern: UInt(answer.interruptToken)))
    let (published, _) = state.compareExchange(
      expected: Self.registering, desired: Self.held, ordering: .acquiringAndReleasing)
    guard !published else { return }
    state.store(Self.held, ordering: .releasing)
    onInterrupt?(self)
  }

  func interrupt() {
    let (noted, _) = state.compareExchange(
      expected: Self.registering, desired: Self.interruptedEarly, ordering: .acquiringAndReleasing)
    if !noted { onInterrupt?(self) }
  }
}
