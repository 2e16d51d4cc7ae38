import Foundation
import Testing

/// Which target may import which is said by Package.swift alone.
@Suite struct ImportTests {
  private static let system: Set<String> = [
    "Dispatch", "Foundation", "Glibc", "Synchronization", "Testing", "PackageDescription",
  ]

  /// The targets of the layers and what each may import.
  private static func modules() throws -> [String: Set<String>] {
    let package = try #require(Repository.file("Package.swift"))
    var modules: [String: Set<String>] = [:]
    for match in package.text.matches(of: #/module\(\s*"(\w+)",\s*\[([^\]]*)\]/#) {
      modules[String(match.1)] = Set(match.2.matches(of: #/"(\w+)"/#).map { String($0.1) })
    }
    return modules
  }

  @Test func everyLayerImportsOnlyWhatThePackageLists() throws {
    let modules = try Self.modules()
    #expect(modules.count >= 12, "the layers were not found in Package.swift")
    for file in Repository.sources {
      let parts = file.path.split(separator: "/").map(String.init)
      guard parts[0] == "Sources", let allowed = modules[parts[1]] else { continue }
      for match in file.text.matches(
        of: #/(?m)^(?:\s*)(?:public |internal |@testable )*import (\w+)/#)
      {
        let name = String(match.1)
        guard !allowed.contains(name), !Self.system.contains(name) else { continue }
        Issue.record("\(file.path) imports \(name), which Package.swift does not list for it")
      }
    }
  }

  /// The arrows that make the house what it is, whatever else is listed.
  @Test func theCoreKnowsNeitherTheKernelNorTheSimulation() throws {
    let modules = try Self.modules()
    let forbidden = [
      "Drive": ["Fuse", "Simulation", "Control", "Mount", "Daemon"],
      "Fuse": ["Cloud", "Drive", "Profiles", "Ledger"], "Platform": ["Cloud", "Ledger", "Fuse"],
      "Cloud": ["Simulation", "Catalog", "Drive"], "DriveClient": ["Daemon", "Drive", "Mount"],
    ]
    for (module, names) in forbidden {
      let listed = try #require(modules[module])
      #expect(listed.isDisjoint(with: names), "\(module)")
    }
  }
}
