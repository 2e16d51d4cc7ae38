import Glibc

/// Wakes a waiting test thread; a signal before the wait is not lost.
final class EventSignal: @unchecked Sendable {
  private let ends: (read: CInt, write: CInt)

  init() {
    var pair: [CInt] = [-1, -1]
    precondition(pipe(&pair) == 0)
    ends = (pair[0], pair[1])
    _ = fcntl(ends.write, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  func signal() {
    var byte: UInt8 = 1
    _ = write(ends.write, &byte, 1)
  }

  /// Waits for at least one signal since the last wait; ten seconds at most.
  func wait() {
    var request = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
    precondition(poll(&request, 1, 10_000) == 1, "nothing happened for ten seconds")
    var buffer = [UInt8](repeating: 0, count: 4096)
    _ = read(ends.read, &buffer, buffer.count)
  }
}
