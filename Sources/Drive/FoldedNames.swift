import Platform
import Profiles

/// Where in a folder the names may be that the account takes for the same as another one.
///
/// It is made of a folder's listing when a look-up has found nothing under the name itself, and then kept up
/// to date. It says where to look, not what is there: names that went stay in it, so whoever asks it looks
/// at the items.
final class FoldedNames: Sendable {
  private struct Folder: Sendable {
    var items: [UInt64: InodeNumber] = [:]
    /// Items of a key that another item has.
    var others: [UInt64: [InodeNumber]] = [:]
    var isListed = false
    var count = 0
    var countWhenListed = 0

    mutating func add(_ key: UInt64, _ inode: InodeNumber) {
      let first = { (known: inout InodeNumber) in known }(&items[key, default: inode])
      if first != inode, others[key]?.contains(inode) != true {
        others[key, default: []].append(inode)
      }
      count += 1
    }

    /// Whether so many names have come and gone that a new listing is better.
    var isWornOut: Bool { isListed && count > 2 * countWhenListed + 1024 }
  }

  private let rules: NameRules
  private let folders = Locked<[InodeNumber: Folder]>([:])

  /// All folders together keep so many names, about 50 bytes each, unless one alone has more.
  private static let maximumNames = 500_000

  init(_ rules: NameRules) { self.rules = rules }

  /// Whether the account takes any two names for the same.
  var isNeeded: Bool { rules.takesSomeForTheSame }

  /// The items that may have a name that is the same to the account, the oldest first.
  ///
  /// - Parameter list: calls what it is given with every name of the folder.
  func items<Failure>(
    like name: FileName, in folder: InodeNumber,
    list: ((FileName, InodeNumber) -> Void) throws(Failure) -> Void
  ) throws(Failure) -> [InodeNumber] {
    let key = key(of: name)
    if let known = folders.withLock({ Self.find(key, in: $0[folder]) }) { return known }
    // From now on whoever makes a name notes it here, so that none is missed while the folder is listed.
    folders.withLock { $0[folder] = $0[folder] ?? Folder() }
    var listed: [(UInt64, InodeNumber)] = []
    try list { listed.append((self.key(of: $0), $1)) }
    return folders.withLock { folders in
      var kept = folders[folder] ?? Folder()
      for (key, inode) in listed { kept.add(key, inode) }
      kept.isListed = true
      kept.countWhenListed = kept.count
      let total = folders.values.reduce(kept.count) { $0 + $1.count }
      if total > Self.maximumNames { folders = [:] }
      folders[folder] = kept
      return Self.find(key, in: kept) ?? []
    }
  }

  /// An item has a name now.
  func note(_ name: FileName, of inode: InodeNumber, in folder: InodeNumber) {
    guard isNeeded else { return }
    let key = key(of: name)
    folders.withLock { folders in
      folders[folder]?.add(key, inode)
      if folders[folder]?.isWornOut == true { folders[folder] = nil }
    }
  }

  /// Many names of a folder are other ones.
  func forget(_ folder: InodeNumber) { folders.withLock { $0[folder] = nil } }

  private static func find(_ key: UInt64, in folder: Folder?) -> [InodeNumber]? {
    guard let folder, folder.isListed else { return nil }
    guard let first = folder.items[key] else { return [] }
    return ([first] + (folder.others[key] ?? [])).sorted { $0.rawValue < $1.rawValue }
  }

  /// FNV-1a, 64 bits, of what names that are the same have in common.
  private func key(of name: FileName) -> UInt64 {
    rules.collisionKey(of: name).reduce(0xcbf2_9ce4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
  }
}
