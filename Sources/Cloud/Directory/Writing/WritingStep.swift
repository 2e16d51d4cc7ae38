package import Platform

/// A point in the life of one write to a directory store where a test can look, act, fail or end the
/// process.
package enum WritingStep: String, CaseIterable, Sendable {
  /// Once for each store: about to find out whether the file system exchanges two names.
  case probing
  /// A piece of content is about to be written to the staged file.
  case writing
  /// What shall be put in place is whole and on the disk; the store's thread was not asked yet.
  case staged
  /// The cloud's folder is about to change by one rename; the index knows what is meant.
  case renaming
  /// The rename is done; what came out was not looked at yet.
  case renamed
  /// What came out is not what it should be, and is about to be given back by a rename.
  case givingBack
  /// The index knows what is there now; what came out of the folder was not removed yet.
  case recorded
}

/// What a test does at the steps of a write.
package struct WritingHook: Sendable {
  private let body: @Sendable (WritingStep) -> Errno?

  /// Calls `body` at each step; an error that it returns at `renamed` or `recorded` is ignored; at the
  /// others it is met as the failure of the system call that comes next.
  package init(_ body: @escaping @Sendable (WritingStep) -> Errno?) { self.body = body }

  /// Does nothing.
  package static let none = WritingHook { _ in nil }

  func fail(at step: WritingStep) throws(Errno) {
    if let error = body(step) { throw error }
  }

  func reach(_ step: WritingStep) { _ = body(step) }
}

/// A folder in which entries are staged outside of what the cloud shows.
package enum StagingPlace: Int64, CaseIterable, Sendable {
  // The numbers are those in the index; do not change them.

  /// In the folder of the index.
  case index = 0
  /// Hidden beside the cloud's folder.
  case beside = 1
  /// Hidden in the cloud's folder, and never listed.
  case inside = 2
}
