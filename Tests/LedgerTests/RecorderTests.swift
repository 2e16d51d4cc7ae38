import Ledger
import Platform
import Testing

@Suite struct RecorderTests {
  @Test func aRecordGetsANumberAndTimes() throws {
    let fixture = try Fixture()
    fixture.clock.advance(.seconds(5))
    let first = fixture.recorder.begin(record())
    let second = fixture.recorder.begin(record())
    #expect(first == 1 && second == 2)
    let open = try #require(fixture.recorder.records().first)
    #expect(open.id == 1 && open.answer == nil)
    #expect(open.worldTime == 5_000_000_000)
    #expect(open.wallTime == 5_000_000_000 + Fixture.hour)
  }

  @Test func finishingSetsWhatIsGiven() throws {
    let fixture = try Fixture()
    let id = fixture.recorder.begin(record(started: "content"))
    fixture.recorder.update(id, bytes: 5)
    fixture.recorder.note(fault: "gate first-byte", on: id)
    fixture.recorder.note(fault: "slow", on: id)
    fixture.recorder.finish(id, answer: "present", waited: .milliseconds(3))
    let done = try #require(fixture.recorder.records().first)
    #expect(done.answer == "present" && done.bytes == 5 && done.waited == 3_000_000)
    #expect(done.started == "content" && done.fault == "gate first-byte,slow")
  }

  @Test func aFinishedRecordDoesNotChange() throws {
    let fixture = try Fixture()
    let id = fixture.recorder.begin(record())
    fixture.recorder.finish(id, answer: "present")
    let before = fixture.recorder.records()
    fixture.recorder.finish(id, answer: "missing")
    fixture.recorder.update(id, bytes: 9)
    fixture.recorder.note(fault: "x", on: id)
    fixture.recorder.finish(999, answer: "missing")
    #expect(fixture.recorder.records() == before)
  }

  @Test func theOldestFinishedRecordsAreForgottenAndOpenOnesNever() throws {
    let fixture = try Fixture(capacity: 3)
    let held = fixture.recorder.begin(record("read", "/held"))
    for number in 1...10 { fixture.recorder.add(record("stat", "/\(number)", answer: "present")) }
    #expect(fixture.paths() == ["/held", "/8", "/9", "/10"])
    fixture.recorder.finish(held, answer: "present")
    #expect(fixture.paths() == ["/held", "/9", "/10"])
  }

  @Test func clearingForgetsWhatIsFinished() throws {
    let fixture = try Fixture()
    let held = fixture.recorder.begin(record("read", "/held"))
    fixture.recorder.add(record(answer: "present"))
    fixture.recorder.clear()
    #expect(fixture.paths() == ["/held"])
    fixture.recorder.finish(held, answer: "present")
    #expect(fixture.recorder.add(record(answer: "present")) == 3)
  }

  @Test func recordsOfManyThreadsAreAllThere() async throws {
    let fixture = try Fixture(capacity: 10_000)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for number in 0..<500 {
            let id = fixture.recorder.begin(record("stat", "/\(thread)/\(number)"))
            fixture.recorder.finish(id, answer: "present")
          }
        }
      }
    }
    let records = fixture.recorder.records()
    #expect(records.map(\.id) == Array(1...4000))
    #expect(Set(records.map(\.path)).count == 4000)
  }
}

@Suite struct QueryTests {
  private static let records: [Record] = {
    var records = [
      record("stat", "/a", answer: "present"),
      record("open", "/a/b", process: 8, executable: "/opt/x/python3"),
      record("", "/a/b", kind: .transfer, process: 0, executable: "", cause: 2, answer: "failed"),
      record("read", "/ab", device: "laptop", answer: "EIO"),
    ]
    for index in records.indices { records[index].id = UInt64(index + 1) }
    return records
  }()

  @Test(arguments: [
    (Query(), [1, 2, 3, 4]),
    (Query(kind: .transfer), [3]),
    (Query(callClass: "open"), [2]),
    (Query(path: .exact("/a")), [1]),
    (Query(path: .below("/a")), [1, 2, 3]),
    (Query(path: .below("/a/")), [2, 3]),
    (Query(path: .below("/")), [1, 2, 3, 4]),
    (Query(path: .glob("/a*")), [1, 4]),
    (Query(path: .glob("/**")), [1, 2, 3, 4]),
    (Query(item: "i/ab"), [4]),
    (Query(process: 8), [2]),
    (Query(executable: "python3"), [2]),
    (Query(executable: "/opt/x/python3"), [2]),
    (Query(executable: "thon3"), []),
    (Query(device: "laptop"), [4]),
    (Query(answer: "EIO"), [4]),
    (Query(cause: 2), [3]),
    (Query(since: 2), [3, 4]),
    (Query(progress: .open), [2]),
    (Query(progress: .finished), [1, 3, 4]),
    (Query(kind: .request, path: .below("/a"), progress: .finished), [1]),
  ])
  func queriesChoose(query: Query, expected: [UInt64]) {
    #expect(Self.records.filter(query.matches).map(\.id) == expected)
  }

  @Test(arguments: [
    ("/a/*.plist", "/a/x.plist", true), ("/a/*.plist", "/a/b/x.plist", false),
    ("/a/**.plist", "/a/b/x.plist", true), ("/?", "/a", true), ("/?", "/ab", false),
    ("/?", "//", false), ("/?x", "/\u{e4}x", true), ("/??x", "/\u{e4}x", false),
    ("/*", "/", true), ("*", "/a", false),
    ("**", "/a/b", true), ("/a*b*c", "/aXbYc", true), ("/a*b*c", "/aXbY", false), ("", "", true),
    ("", "/", false), ("/[a]", "/a", false),
    ("/*a*a*a*a*a*a*a*b", "/" + String(repeating: "a", count: 2000), false),
  ])
  func globsMatchAsInAShell(pattern: String, path: String, expected: Bool) {
    #expect(PathPattern.glob(pattern).matches(path) == expected)
  }
}
