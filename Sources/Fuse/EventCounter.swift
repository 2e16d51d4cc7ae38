internal import CFuse
internal import Glibc
internal import Platform

/// Counts events for one waiting thread, or announces one to many.
final class EventCounter: Sendable {
  let descriptor: FileDescriptor

  /// A counter at 0.
  init() {
    let number = cfuse_eventfd()
    precondition(number >= 0, "no file descriptor is left")
    descriptor = FileDescriptor(owning: number)
  }

  /// Adds one.
  func signal() {
    var one: UInt64 = 1
    _ = write(descriptor.rawValue, &one, 8)
  }

  /// Waits until something was added, takes all of it and returns how much it was.
  func take() -> UInt64 {
    var count: UInt64 = 0
    while read(descriptor.rawValue, &count, 8) != 8 {}
    return count
  }

  /// Waits until something was added, and leaves it: every later wait returns at once.
  func wait() {
    var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, -1) < 1 {}
  }
}
