public import Platform

/// Who may touch what in a scoped world, as a picker or a resolved bookmark decides on Apple systems.
///
/// A grant belongs to a process and its descendants, covers an item and everything in it, and ends
/// with the process: its start time is part of its name.
public final class Grants: Sendable {
  /// One grant.
  public struct Grant: Hashable, Sendable {
    /// The process.
    public let program: Program
    /// The item; a folder's grant covers what is in it.
    public let inode: InodeNumber
  }

  private let grants = Locked<Set<Grant>>([])
  private let programs: Programs
  private static let maximumAncestors = 64

  init(programs: Programs) { self.programs = programs }

  /// Lets a process and its descendants touch an item.
  ///
  /// - Throws: ESRCH's number when there is no such process.
  public func add(process: Int32, _ inode: InodeNumber) throws(Errno) {
    let program = programs.program(of: process)
    guard program != .unknown else { throw Errno(rawValue: 3) }
    grants.withLock { _ = $0.insert(Grant(program: program.anonymous, inode: inode)) }
  }

  /// Takes a grant back; nil takes all of the process back.
  public func remove(process: Int32, _ inode: InodeNumber?) {
    grants.withLock { grants in
      grants = grants.filter {
        $0.program.process != process || (inode != nil && $0.inode != inode)
      }
    }
  }

  /// All grants of processes that still run.
  public var all: [Grant] { grants.withLock { Array($0) }.filter { isAlive($0.program) } }

  /// Whether the caller may touch the item, or look at it because it lies above a granted one.
  func allows(
    _ caller: Caller, _ inode: InodeNumber, looksOnly: Bool, parent: (InodeNumber) -> InodeNumber?
  ) -> Bool {
    let granted = granted(to: caller)
    guard !granted.isEmpty else { return false }
    if Self.chain(from: inode, parent).contains(where: granted.contains) { return true }
    return looksOnly && granted.contains { Self.chain(from: $0, parent).contains(inode) }
  }

  private func granted(to caller: Caller) -> Set<InodeNumber> {
    let all = grants.withLock { $0 }
    guard !all.isEmpty else { return [] }
    var result: Set<InodeNumber> = []
    var process: Int32? = programs.program(of: caller.thread).process
    for _ in 0..<Self.maximumAncestors {
      guard let current = process, current > 0 else { break }
      for grant in all where grant.program.process == current && isAlive(grant.program) {
        result.insert(grant.inode)
      }
      process = programs.parent(of: current)
    }
    return result
  }

  private func isAlive(_ program: Program) -> Bool {
    programs.program(of: program.process).startTime == program.startTime
  }

  private static func chain(
    from inode: InodeNumber, _ parent: (InodeNumber) -> InodeNumber?
  ) -> [InodeNumber] {
    var chain = [inode]
    while let last = chain.last, let above = parent(last), chain.count < 4096 { chain.append(above) }
    return chain
  }
}

extension Program {
  /// The same process whatever it executes: a grant survives exec.
  fileprivate var anonymous: Program {
    Program(process: process, startTime: startTime, executable: "")
  }
}
