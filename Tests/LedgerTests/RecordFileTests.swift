import Foundation
import Ledger
import Platform
import Testing

@Suite struct RecordFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { directory.path + "/ledger.jsonl" }

  @Test func everyFinishedRecordIsALine() throws {
    let fixture = try Fixture(file: path)
    let id = fixture.recorder.begin(record("open", "/a \"quoted\"\\\n\t\u{1}\u{e4}\u{1f600}"))
    #expect(try directory.lines(of: "ledger.jsonl").isEmpty)
    fixture.recorder.finish(id, answer: "EIO", bytes: 3, waited: .seconds(1), fault: "f")
    fixture.recorder.add(record(kind: .eviction, answer: "completed"))
    #expect(try directory.records(of: "ledger.jsonl") == fixture.recorder.records())
    #expect(fixture.recorder.fileError == nil)
  }

  @Test func anOpenRecordsJSONHasNoAnswer() throws {
    let open = record()
    let decoded = try JSONDecoder().decode(Record.self, from: Data(open.json.utf8))
    #expect(decoded == open && !open.json.contains("answer"))
  }

  @Test func numbersContinueAfterAClose() throws {
    let first = try Fixture(file: path)
    first.recorder.add(record(answer: "present"))
    first.recorder.close()
    let second = try Fixture(file: path)
    #expect(second.recorder.add(record(answer: "present")) == 2)
    #expect(try directory.records(of: "ledger.jsonl").map(\.id) == [1, 2])
  }

  @Test func numbersAreNotUsedAgainWithoutAClose() throws {
    let first = try Fixture(file: path)
    let open = first.recorder.begin(record())
    let second = try Fixture(file: path)
    #expect(second.recorder.begin(record()) > open)
  }

  @Test func theFileIsTurnedOverAtItsSize() throws {
    let fixture = try Fixture(file: path, maximumFileSize: 1000)
    for number in 1...30 { fixture.recorder.add(record("stat", "/\(number)", answer: "present")) }
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < 1500)
    let last = try directory.records(of: "ledger.jsonl").map(\.id)
    let before = try directory.records(of: "ledger.jsonl.1").map(\.id)
    #expect((before + last).last == 30)
    #expect(before + last == Array((before.first ?? 0)...30))
  }

  @Test func linesWithoutTheirNumberArePutAside() throws {
    try "old\n".write(toFile: path, atomically: true, encoding: .utf8)
    let fixture = try Fixture(file: path)
    fixture.recorder.add(record(answer: "present"))
    #expect(try directory.lines(of: "ledger.jsonl.1") == ["old"])
    #expect(try directory.records(of: "ledger.jsonl").map(\.id) == [1])
  }

  @Test func aFileThatCannotBeOpenedIsAnErrorWithItsPath() throws {
    let error = #expect(throws: LedgerError.self) {
      try Fixture(file: directory.path + "/none/ledger.jsonl")
    }
    #expect(error?.errno == .noSuchFile)
    #expect(error?.description.contains("/none/ledger.jsonl") == true)
  }
}
