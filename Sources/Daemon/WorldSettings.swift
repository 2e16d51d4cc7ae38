import Control
import Foundation
import Platform
import Profiles

/// What a world is, as its settings file keeps it from one start to the next.
struct WorldSettings: Codable, Hashable {
  /// The format of a world's folder that this program writes and reads.
  static let format = 2

  var format = WorldSettings.format
  /// The cloud, as `CloudLocation.text`.
  var cloud: String
  /// The profile's name, or the file it came from.
  var profile: String
  /// The profile itself, so that a world stays as it is when a file changes.
  var profileText: String
  var seed: UInt64
  var hasManualClock: Bool
  var isScoped: Bool
  /// When the world began, in seconds since 1970.
  var began: Int64
  /// The devices, by name; nil in a world of format 1, which had one.
  var devices: [String: DeviceRecord]?

  /// What is remembered of a device.
  struct DeviceRecord: Codable, Hashable {
    /// Where it was mounted last.
    var mountpoint: String
    /// The profile whose representation it has, as for the world; nil for the account's.
    var profile: String?
    var profileText: String?
  }

  private struct FormatOnly: Codable { var format: Int }

  /// Reads the settings of a world; nil when there are none yet.
  static func load(_ layout: WorldLayout) throws(WorldError) -> WorldSettings? {
    guard let data = FileManager.default.contents(atPath: layout.settings) else { return nil }
    guard let found = try? JSONDecoder().decode(FormatOnly.self, from: data) else {
      throw damaged(layout)
    }
    guard found.format <= format else {
      throw WorldError(
        .badConfiguration,
        "the world at '\(layout.directory)' has the format \(found.format), and this program knows "
          + "up to \(format); use a newer fauxdrive, or another --world")
    }
    guard let settings = try? JSONDecoder().decode(WorldSettings.self, from: data) else {
      throw damaged(layout)
    }
    return settings
  }

  private static func damaged(_ layout: WorldLayout) -> WorldError {
    WorldError(
      .badConfiguration,
      "the settings '\(layout.settings)' are damaged; restore the file, or remove the world's folder"
    )
  }

  /// Writes the settings; the file is there as a whole or not at all.
  func save(_ layout: WorldLayout) throws(WorldError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do {
      try encoder.encode(self).write(to: URL(filePath: layout.settings), options: .atomic)
    } catch {
      throw WorldError(
        .cannotCreate, "the settings '\(layout.settings)' cannot be written: \(error)")
    }
  }

  /// The profile that the world keeps.
  func loadedProfile() throws(WorldError) -> Profile { try Self.load(profileText, profile) }

  /// The profile whose representation a device has.
  func loadedProfile(of device: String) throws(WorldError) -> Profile {
    guard let record = devices?[device], let text = record.profileText else {
      return try loadedProfile()
    }
    return try Self.load(text, record.profile ?? device)
  }

  private static func load(_ text: String, _ name: String) throws(WorldError) -> Profile {
    do {
      return try Profile.parse(text.utf8, file: name)
    } catch {
      throw WorldError(
        .badConfiguration, "the profile in the world's settings is damaged: \(error)")
    }
  }
}

extension WorldSettings {
  /// The settings of a world after a mount request: what it says, else what they were.
  static func merged(
    _ old: WorldSettings?, _ request: MountRequest, _ layout: WorldLayout
  ) throws(WorldError) -> WorldSettings {
    let profile = try request.profile.map { name throws(WorldError) in try find(name) }
    let cloud = try cloud(old, request, layout)
    guard var settings = old else {
      let profile: Profile = if let profile { profile } else { try find("icloud") }
      return WorldSettings(
        cloud: cloud, profile: request.profile ?? profile.name, profileText: profile.json5,
        seed: request.seed ?? 0, hasManualClock: request.hasManualClock ?? false,
        isScoped: request.isScoped ?? false, began: Timestamp.now.seconds)
    }
    settings.format = format
    // Of several devices one may have another representation; the account is that of all of them.
    if let profile, settings.isShared(by: request.deviceName) {
      settings.devices?[request.deviceName, default: DeviceRecord(mountpoint: request.mountpoint)]
        .use(profile, named: request.profile)
    } else if let profile {
      settings.profile = request.profile ?? profile.name
      settings.profileText = profile.json5
    }
    settings.seed = request.seed ?? settings.seed
    settings.hasManualClock = request.hasManualClock ?? settings.hasManualClock
    settings.isScoped = request.isScoped ?? settings.isScoped
    return settings
  }

  /// Whether the world has another device than this one.
  private func isShared(by device: String) -> Bool {
    devices?.keys.contains { $0 != device } ?? false
  }

  static func find(_ name: String) throws(WorldError) -> Profile {
    do { return try Profile.find(name) } catch { throw WorldError(.badData, "\(error)") }
  }

  private static func cloud(
    _ old: WorldSettings?, _ request: MountRequest, _ layout: WorldLayout
  ) throws(WorldError) -> String {
    guard let text = request.cloud else {
      guard let old else {
        throw WorldError(
          .usage,
          "a new world needs a cloud: add --cloud DIR, or --cloud copy:DIR to leave DIR untouched")
      }
      return old.cloud
    }
    // A world that has its copy does not need the original any more.
    if let old, old.cloud == text { return text }
    let location = try CloudLocation(text)
    if let old, old.cloud != location.text {
      throw WorldError(
        .cannotCreate,
        "the world at '\(layout.directory)' has the cloud '\(old.cloud)'; leave out --cloud to use it "
          + "again, or name another --world")
    }
    return location.text
  }
}

extension WorldSettings.DeviceRecord {
  /// Takes another representation.
  mutating func use(_ profile: Profile, named name: String?) {
    self.profile = name ?? profile.name
    profileText = profile.json5
  }
}
