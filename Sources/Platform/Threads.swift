import CPlatform
import Glibc

/// Threads of our own, named, so that `ps -L` and a debugger tell what each does.
public enum Threads {
  /// Starts a thread that runs `body` and is not joined.
  public static func detach(named name: String, _ body: @escaping @Sendable () -> Void) {
    _ = start(named: name, body).map { pthread_detach($0) }
  }

  /// Starts a thread that runs `body`; join it with `join(_:)`. Nil when the system has no thread left.
  public static func start(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) -> ThreadIdentifier? {
    let box = Unmanaged.passRetained(Body(run: body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { raw in
        guard let raw else { return nil }
        let body = Unmanaged<Body>.fromOpaque(raw).takeRetainedValue()
        body.run()
        return nil
      }, box.toOpaque())
    guard result == 0 else {
      box.release()
      return nil
    }
    // By the one who starts it, so that whoever sees the thread sees its name; the kernel takes 15 bytes.
    platform_name_thread(thread, String(name.prefix(15)))
    return thread
  }

  /// Waits for the end of a thread started with `start`.
  public static func join(_ thread: ThreadIdentifier) { pthread_join(thread, nil) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

/// Names a started thread, as `pthread_t` does.
public typealias ThreadIdentifier = UInt
