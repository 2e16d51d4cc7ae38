// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: language mode 6, explicit imports, and no warning tolerated.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// A Swift target of this package. What a target may import is exactly what is listed here.
func module(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [])
  -> Target
{
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude,
    swiftSettings: strict)
}

let package = Package(
  name: "FauxDrive",
  products: [
    .executable(name: "fauxdrive", targets: ["fauxdrive"]),
    .library(name: "Fuse", targets: ["Fuse", "Platform"]),
  ],
  targets: [
    // The C libraries.
    .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .target(name: "CArgp"),
    .target(name: "CPlatform"),

    // The layers, lowest first. An arrow points down only.
    module("Platform", ["CPlatform"]),
    module("Fuse", ["CFuse", "Platform"]),
    module("Ledger", ["Platform"]),
    module("Profiles", ["Platform"], resources: [.embedInCode("Builtin")]),
    module("Cloud", ["CCrypto", "CPlatform", "CSQLite", "Platform"]),
    module("Simulation", ["Cloud", "Ledger", "Platform"]),
    module("Catalog", ["CSQLite", "Cloud", "Platform"]),
    module("Drive", ["Catalog", "Cloud", "Ledger", "Profiles", "Platform"]),
    module("Mount", ["Cloud", "Drive", "Fuse", "Platform", "Profiles"]),
    module("Control", ["Ledger", "Platform"]),
    module(
      "Daemon",
      [
        "Catalog", "Cloud", "Control", "Drive", "Fuse", "Ledger", "Mount", "Platform", "Profiles",
        "Simulation",
      ]),
    module("DriveClient", ["Control", "Ledger", "Platform"]),
    module("Options", ["CArgp", "Platform"]),
    .executableTarget(
      name: "fauxdrive",
      dependencies: [
        "Control", "Daemon", "DriveClient", "Ledger", "Options", "Platform", "Profiles",
      ],
      swiftSettings: strict),

    // What an app developer writes: Foundation alone.
    .executableTarget(
      name: "ReopenLast", path: "Examples/ReopenLast", swiftSettings: strict),

    tests("PlatformTests", ["Platform"]),
    // Writes to a cloud's folder and ends in the middle, as a process that is killed.
    .executableTarget(
      name: "CloudWriter", dependencies: ["Cloud", "Platform"], path: "Tests/CloudWriter",
      swiftSettings: strict),
    tests("CloudTests", ["CPlatform", "CSQLite", "Cloud", "CloudWriter", "Platform"]),
    tests("SimulationTests", ["Cloud", "Platform", "Simulation"]),
    // A file system for SQLite that fails when it is told, in C as SQLite wants it.
    .target(name: "FaultyDisk", dependencies: ["CSQLite"], path: "Tests/FaultyDisk"),
    tests("CatalogTests", ["Catalog", "CSQLite", "Cloud", "FaultyDisk", "Platform"]),
    tests("LedgerTests", ["Ledger", "Platform"]),
    tests("ProfilesTests", ["Platform", "Profiles"]),
    tests(
      "DriveTests",
      [
        "Catalog", "CSQLite", "Cloud", "Drive", "FaultyDisk", "Ledger", "Platform", "Profiles",
        "Simulation",
      ]),
    .executableTarget(
      name: "Benchmarks", dependencies: ["MountKit"], path: "Tests/Benchmarks",
      swiftSettings: strict),
    // What tests of real mounts share: a drive in a world and a process of its own.
    .target(
      name: "MountKit",
      dependencies: [
        "Control", "DriveClient", "Ledger", "MountHands", "Platform", "ReopenLast", "fauxdrive",
      ],
      path: "Tests/MountKit", swiftSettings: strict),
    // What touches mounts in place of the tests, in C: a thousand of it must be cheap.
    .executableTarget(name: "MountHands", path: "Tests/MountHands"),
    // Programs that make one call each, for the matrix of profiles, calls, callers and states.
    .executableTarget(name: "CallProbe", path: "Tests/CallProbe"),
    .executableTarget(
      name: "FoundationProbe", path: "Tests/FoundationProbe", swiftSettings: strict),
    tests(
      "MatrixTests",
      ["CallProbe", "Control", "DriveClient", "FoundationProbe", "Ledger", "MountKit", "Platform"]),
    tests(
      "MountTests",
      ["Control", "DriveClient", "Ledger", "MountKit", "Options", "Platform", "fauxdrive"]),
    tests("CLITests", ["Daemon", "Options", "Platform", "fauxdrive"]),
    tests("TidyTests", []),
    tests("ControlTests", ["Control", "Platform"]),
    tests("DriveClientTests", ["Control", "DriveClient", "Ledger", "Platform"]),
    // A mount must not be used by the process that serves it, so the tests start this one.
    .executableTarget(
      name: "FuseTestServer", dependencies: ["Fuse", "Platform"], path: "Tests/FuseTestServer",
      swiftSettings: strict),
    tests("FuseTests", ["CFuse", "Fuse", "FuseTestServer", "Platform"]),
  ]
)
