public import Platform

/// Who may touch what in a scoped world, as a picker or a resolved bookmark decides on Apple systems.
///
/// A grant covers an item and everything in it, and ends with the process that has it: a process's
/// start time is part of its name.
public final class Grants: Sendable {
  /// One grant.
  public struct Grant: Hashable, Sendable {
    /// Names the grant within its device.
    public let number: Int
    /// The process.
    public let program: Program
    /// Whether the process's descendants have it as well.
    public let includesDescendants: Bool
    /// The item; a folder's grant covers what is in it.
    public let inode: InodeNumber
  }

  private struct State: Sendable {
    var grants: [Grant] = []
    var next = 1
  }

  private let state = Locked(State())
  private let programs: Programs
  private static let maximumAncestors = 64

  init(programs: Programs) { self.programs = programs }

  /// Lets a process touch an item.
  ///
  /// - Returns: the grant's number.
  /// - Throws: ESRCH's number when there is no such process.
  @discardableResult
  public func add(
    process: Int32, includingDescendants: Bool, _ inode: InodeNumber
  ) throws(Errno) -> Int {
    let program = programs.program(of: process)
    guard program != .unknown else { throw Errno(rawValue: 3) }
    return state.withLock { state in
      let grant = Grant(
        number: state.next, program: program, includesDescendants: includingDescendants,
        inode: inode)
      state.next += 1
      state.grants.append(grant)
      return grant.number
    }
  }

  /// Takes a grant back.
  ///
  /// - Returns: whether there was such a grant.
  @discardableResult
  public func remove(_ number: Int) -> Bool {
    state.withLock { state in
      let count = state.grants.count
      state.grants.removeAll { $0.number == number }
      return state.grants.count < count
    }
  }

  /// All grants of processes that still run, by number.
  public var all: [Grant] {
    let grants = state.withLock { $0.grants }
    let alive = grants.filter { isAlive($0.program) }
    let gone = Set(grants.map(\.number)).subtracting(alive.map(\.number))
    if !gone.isEmpty { state.withLock { $0.grants.removeAll { gone.contains($0.number) } } }
    return alive
  }

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
    let grants = state.withLock { $0.grants }
    guard !grants.isEmpty else { return [] }
    var result: Set<InodeNumber> = []
    let own = programs.program(of: caller.thread).process
    var process: Int32? = own
    for _ in 0..<Self.maximumAncestors {
      guard let current = process, current > 0 else { break }
      for grant in grants where grant.program.process == current && isAlive(grant.program) {
        if current == own || grant.includesDescendants { result.insert(grant.inode) }
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
    while let last = chain.last, let above = parent(last), chain.count < 4096 {
      chain.append(above)
    }
    return chain
  }
}
