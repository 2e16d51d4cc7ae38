internal import Glibc

extension FileDescriptor {
  /// Locks the file for this process alone (flock(2)), until the descriptor is closed.
  ///
  /// Blocks up to `patience`, in real time: a child that some thread is starting has a copy of every
  /// descriptor, and so of the lock of a file that was just closed, until it runs its program.
  ///
  /// - Returns: false when another process has it.
  public borrowing func lockExclusively(patience: Duration = .seconds(1)) -> Bool {
    let deadline = ContinuousClock.now + patience
    while flock(rawValue, LOCK_EX | LOCK_NB) != 0 {
      guard ContinuousClock.now < deadline else { return false }
      usleep(10_000)
    }
    return true
  }
}
