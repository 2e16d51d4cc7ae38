public import Glibc
public import Profiles

/// What a device is, besides its profile.
public struct DriveSettings: Sendable {
  /// The device's name in the ledger.
  public var device: String
  /// How the device shows the account.
  public var representation: Representation
  /// How the account behaves.
  public var account: AccountPolicy
  /// The profile's name, for `user.fauxdrive.profile`.
  public var profileName: String
  /// Whether a process may touch an item only with a grant.
  public var isScoped = false
  /// Whether every request shall reach the drive and the ledger: the kernel keeps nothing.
  public var isAudited = false
  /// Whether the kernel checks permission bits itself (`default_permissions`).
  public var kernelChecksPermissions = false
  /// Whether other users may use the mount.
  public var isShared = false
  /// The owner that `stat` shows.
  public var user: uid_t
  /// The group that `stat` shows.
  public var group: gid_t
  /// How many transfers run at once; the rest queue. 256 as in XNU (NSPACE_RESOLVER_MAX_OUTSTANDING).
  public var maximumTransfers = 256
  /// How long a look-up in a folder whose children are unknown waits for them.
  ///
  /// Such a wait stalls the whole folder in the kernel, unkillably for second callers, so it is short.
  public var lookupPatience: Duration = .seconds(3)
  /// From which size a file that is here is read by the kernel without the drive; nil for never.
  public var passthroughFrom: Int64?

  /// How the bytes of a document travel that is not here: `.direct`, or `.cached` where the kernel
  /// cannot map what it does not cache.
  public var absentRoute = ByteRoute.direct
  /// How long a change in the cloud takes to be told to this device.
  public var propagationDelay: Duration = .zero

  /// Settings of a device that `user` owns.
  public init(
    device: String, representation: Representation, account: AccountPolicy, profileName: String,
    user: uid_t, group: gid_t
  ) {
    self.device = device
    self.representation = representation
    self.account = account
    self.profileName = profileName
    self.user = user
    self.group = group
  }

  /// Whether the kernel must ask again at every call, for everything.
  var keepsNothing: Bool { isScoped || isAudited }

  /// Whether the kernel may check permission bits itself.
  ///
  /// It then asks GETATTR before every open and sends no ACCESS, so `stat`, `access` and `open` must
  /// all be answered as if everything were here, and start nothing.
  public var kernelMayCheckPermissions: Bool {
    if case .stub = representation.placeholder { return false }
    let classes: [CallClass] = [.stat, .access, .open]
    return !keepsNothing && classes.allSatisfy { representation.dial[$0].isTransparent }
  }
}
