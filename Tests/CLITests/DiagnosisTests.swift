import Daemon
import Platform
import Testing

@testable import fauxdrive

/// What `fauxdrive doctor` makes of the facts about a machine.
@Suite struct DiagnosisTests {
  private static let fine = HostFacts(
    device: .fit("/dev/fuse"), helper: .fit("/usr/bin/fusermount3"), mountsDirectly: false,
    usersMayAllowOthers: true, kernel: "6.1.0-18-amd64", stateFolder: .fit("/home/a/worlds"))

  private static func diagnose(_ change: (inout HostFacts) -> Void) -> Diagnosis {
    var facts = fine
    change(&facts)
    return Diagnosis(facts)
  }

  private static func text(_ diagnosis: Diagnosis, _ topic: String) -> [String] {
    diagnosis.findings.filter { $0.topic == topic }.map { "\($0.level): \($0.message)" }
  }

  @Test func aMachineThatIsFineHasNoProblem() {
    let diagnosis = Diagnosis(Self.fine)
    #expect(diagnosis.obstacle == nil)
    #expect(diagnosis.findings.allSatisfy { $0.level == .ok })
    #expect(Self.text(diagnosis, "kernel") == ["ok: 6.1.0-18-amd64"])
  }

  @Test func theFirstObstacleDecidesTheExitStatus() {
    let diagnosis = Self.diagnose {
      $0.device = .unfit("/dev/fuse does not exist", .unavailable)
      $0.helper = .unfit("fusermount3 is not installed", .noPermission)
    }
    #expect(diagnosis.obstacle?.exitCode == .unavailable)
    #expect(diagnosis.obstacle?.message == "/dev/fuse does not exist")
    #expect(Self.text(diagnosis, "fusermount3") == ["obstacle: fusermount3 is not installed"])
  }

  @Test func whoMayMountNeedsNoHelper() {
    let diagnosis = Self.diagnose {
      $0.mountsDirectly = true
      $0.helper = .unfit("fusermount3 is not installed", .unavailable)
      $0.usersMayAllowOthers = false
    }
    #expect(diagnosis.obstacle == nil)
    #expect(diagnosis.findings.allSatisfy { $0.level == .ok })
  }

  @Test func whatIsMissingForOthersAndForWorldsKeepsNobodyFromMounting() {
    let diagnosis = Self.diagnose {
      $0.usersMayAllowOthers = false
      $0.stateFolder = .unfit("worlds cannot be kept in /nowhere", .cannotCreate)
    }
    #expect(diagnosis.obstacle == nil)
    #expect(Self.text(diagnosis, "--allow-other") == ["note: is not permitted"])
    #expect(Self.text(diagnosis, "worlds") == ["problem: worlds cannot be kept in /nowhere"])
  }

  @Test func aNewerKernelIsToldByWhatItBrings() {
    let old = Self.diagnose { $0.kernel = "6.6.1" }
    #expect(
      Self.text(old, "kernel")
        == ["ok: 6.6.1, with shared mappings of documents that are not here"])
    let new = Self.diagnose {
      $0.kernel = "6.12"
      $0.mountsDirectly = true
    }
    #expect(Self.text(new, "kernel").first?.hasSuffix("are not here and passthrough") == true)
  }

  @Test func mountsAndWorldsAreToldOneByOne() {
    let diagnosis = Self.diagnose {
      $0.drives = [
        .init(mountpoint: "/a", world: "/w/a", health: "serving"),
        .init(mountpoint: "/b", world: "/w/b", health: "dead"),
        .init(mountpoint: "/c", world: "/w/c", health: "not answering"),
      ]
      $0.worlds = [
        .init(directory: "/w/a", isRunning: true), .init(directory: "/w/b", isRunning: false),
        .init(directory: "/w/d", isRunning: true),
      ]
    }
    #expect(diagnosis.obstacle == nil)
    #expect(diagnosis.findings.compactMap(\.deadMount) == ["/b"])
    #expect(
      Self.text(diagnosis, "mount") == [
        "ok: /a is served", "problem: /b is dead: the process that served it is gone",
        "problem: /c does not answer",
      ])
    #expect(
      Self.text(diagnosis, "world") == [
        "ok: /w/a runs",
        "note: /w/b does not run; a mount of its drive goes on from it",
        "note: /w/d runs, and is not mounted where this process sees it",
      ])
  }
}
