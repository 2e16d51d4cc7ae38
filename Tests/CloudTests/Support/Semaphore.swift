import Glibc
import Platform

/// Makes one thread wait for another, where a test must hold a thread of the code under test.
final class Semaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }

  func wait() { while sem_wait(semaphore) != 0 {} }
}

extension TemporaryFolder {
  /// The text of a file that tells no size, as those of /proc.
  static func readSmall(_ path: String) throws -> String {
    let file = try FileDescriptor.open(path, O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(file.rawValue, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

extension String {
  var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
