internal import Glibc
internal import Platform

/// What shall be looked at again.
enum Look: Sendable {
  case names(Set<FileName>)
  case whole

  mutating func add(_ name: FileName) {
    guard case .names(var names) = self else { return }
    names.insert(name)
    self = .names(names)
  }
}

/// The inotify(7) watches of the enumerated folders.
///
/// An event is only a hint where to look again; what is there then is what counts. So a lost event costs
/// a look at everything, never a wrong answer.
final class Watches {
  /// What the events that were read say.
  struct Hints {
    var looks: [Int64: Look] = [:]
    /// Folders that were themselves moved, deleted, or changed.
    var folders: Set<Int64> = []
    var areLost = false

    var isEmpty: Bool { looks.isEmpty && folders.isEmpty && !areLost }
  }

  /// The descriptor to poll; -1 when the system has no more inotify instances.
  let descriptor: CInt
  private var folders: [CInt: Set<Int64>] = [:]
  private var watches: [Int64: CInt] = [:]

  private static let mask = UInt32(
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_CLOSE_WRITE
      | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK)

  private let limit: Int

  /// - Parameter limit: how many folders to watch at most, for tests of what the system limits.
  init(limit: Int = .max) {
    self.limit = limit
    descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var isAvailable: Bool { descriptor >= 0 }

  /// Watches an open folder; watching it again changes nothing.
  ///
  /// - Returns: whether it is watched; the system has a limit (fs.inotify.max_user_watches).
  func add(_ folder: Int64, _ opened: borrowing FileDescriptor) -> Bool {
    guard watches.count < limit || watches[folder] != nil else { return false }
    let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(opened.rawValue)", Self.mask)
    guard watch >= 0 else { return false }
    if let old = watches[folder], old != watch { remove(folder) }
    watches[folder] = watch
    folders[watch, default: []].insert(folder)
    return true
  }

  func remove(_ folder: Int64) {
    guard let watch = watches.removeValue(forKey: folder) else { return }
    folders[watch]?.remove(folder)
    guard folders[watch]?.isEmpty ?? true else { return }
    folders[watch] = nil
    inotify_rm_watch(descriptor, watch)
  }

  /// Reads all events that are there, without waiting.
  func read() -> Hints {
    var hints = Hints()
    guard isAvailable else { return hints }
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
      while true {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          if count < 0, errno != EAGAIN { hints.areLost = true }
          return
        }
        take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &hints)
      }
    }
    return hints
  }

  private func take(_ bytes: UnsafeRawBufferPointer, into hints: inout Hints) {
    let headerSize = MemoryLayout<inotify_event>.size
    var position = 0
    while position + headerSize <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
      let name = bytes[(position + headerSize)...].prefix(Int(event.len)).prefix { $0 != 0 }
      take(event, FileName(name), into: &hints)
      position += headerSize + Int(event.len)
    }
  }

  private func take(_ event: inotify_event, _ name: FileName?, into hints: inout Hints) {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      hints.areLost = true
      return
    }
    for folder in folders[event.wd] ?? [] {
      if let name {
        hints.looks[folder, default: .names([])].add(name)
      } else {
        hints.folders.insert(folder)
      }
    }
    guard event.mask & UInt32(IN_IGNORED) != 0 else { return }
    for folder in folders.removeValue(forKey: event.wd) ?? [] { watches[folder] = nil }
  }
}
