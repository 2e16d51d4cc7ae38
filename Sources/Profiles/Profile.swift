/// A named pair: how one provider's account behaves, and how a device shows it.
public struct Profile: Hashable, Sendable {
  /// The name by which commands ask for it: lower-case letters, digits and hyphens.
  public var name: String
  /// The name for people.
  public var title: String
  /// One or two sentences about whose behaviour it is.
  public var summary: String
  /// How the account behaves.
  public var account: AccountPolicy
  /// How a device shows it, unless the device has a representation of its own.
  public var representation: Representation
  /// What each value is founded on, by its path in the file ("representation.dial.stat.answer").
  ///
  /// Every value of `account` and `representation` has an entry.
  public var evidence: [String: Evidence]

  /// Describes a profile.
  public init(
    name: String, title: String, summary: String, account: AccountPolicy,
    representation: Representation, evidence: [String: Evidence]
  ) {
    self.name = name
    self.title = title
    self.summary = summary
    self.account = account
    self.representation = representation
    self.evidence = evidence
  }
}
