import Ledger
import Testing

@Suite struct RenderingTests {
  @Test func aLineTellsWhatHappened() {
    var request = record("stat", "/Game.plist", process: 4711, executable: "/usr/bin/python3")
    request.id = 17
    request.worldTime = 12_345_678_901
    #expect(request.line == "#17 12.345 phone stat /Game.plist: held (python3 4711)")
    request.answer = "missing"
    request.started = "content"
    request.waited = 1_500_000_000
    request.fault = "offline"
    #expect(
      request.line
        == "#17 12.345 phone stat /Game.plist: missing, starts content, 1.500 s, met offline (python3 4711)"
    )
  }

  @Test func transfersAndEvictionsHaveLinesOfTheirOwn() {
    var transfer = record("", "/f", kind: .transfer, process: 0, executable: "", cause: 3)
    #expect(transfer.line == "#0 0.000 phone transfer /f: running, caused by #3")
    transfer.answer = "completed"
    transfer.bytes = 4096
    #expect(transfer.line == "#0 0.000 phone transfer /f: completed, 4096 bytes, caused by #3")
    let eviction = record("unclaimed", "/f", kind: .eviction, process: 0, answer: "completed")
    #expect(eviction.line == "#0 0.000 phone eviction /f: completed, unclaimed")
  }

  @Test func aLineStaysOneLineAndDoesNothingToATerminal() {
    let line = record("stat", "/a\nb\u{1b}[31mc", process: 0, answer: "present").line
    #expect(line == "#0 0.000 phone stat /a\\nb\\x1b[31mc: present")
  }
}

@Suite struct CanonicalFormTests {
  private func run(_ records: Record...) -> CanonicalForm {
    var numbered = records
    for index in numbered.indices {
      numbered[index].id = UInt64(index + 1)
      numbered[index].wallTime = Int64.random(in: 0..<1_000_000)
      numbered[index].worldTime = Int64.random(in: 0..<1_000_000)
    }
    return CanonicalForm(of: numbered.shuffled())
  }

  @Test func theOrderOfIndependentRequestsDoesNotCount() {
    let one = run(
      record("stat", "/a", process: 5, answer: "missing"),
      record("", "/a", kind: .transfer, process: 0, executable: "", cause: 1, answer: "completed"),
      record("stat", "/b", process: 6, answer: "present"),
      record("read", "/b", process: 6, answer: "present"))
    let other = run(
      record("stat", "/b", process: 60, answer: "present"),
      record("stat", "/a", process: 50, answer: "missing"),
      record("read", "/b", process: 60, answer: "present"),
      record("", "/a", kind: .transfer, process: 0, executable: "", cause: 2, answer: "completed"))
    #expect(one == other)
    #expect(
      one.lines == [
        "phone request stat /a answer=missing started=nothing bytes=0 by=/usr/bin/cat",
        "  phone transfer  /a answer=completed started=nothing bytes=0",
        "phone request stat /b answer=present started=nothing bytes=0 by=/usr/bin/cat",
        "phone request read /b answer=present started=nothing bytes=0 by=/usr/bin/cat",
      ])
  }

  @Test func theOrderWithinAProcessCounts() {
    let one = run(record("stat", process: 5), record("open", process: 5))
    let other = run(record("open", process: 5), record("stat", process: 5))
    #expect(one != other)
  }

  @Test func whatWasAnsweredCounts() {
    #expect(run(record(answer: "present")) != run(record(answer: "missing")))
    #expect(run(record(started: "content")) != run(record()))
  }

  @Test func worldTimeCountsWhenAsked() {
    var later = record()
    later.worldTime = 1
    let early = CanonicalForm(of: [record()], includingWorldTime: true)
    #expect(early != CanonicalForm(of: [later], includingWorldTime: true))
    #expect(CanonicalForm(of: [record()]) == CanonicalForm(of: [later]))
  }

  @Test func aLostCauseLeavesTheRecordAlone() {
    var effect = record("", "/f", kind: .transfer, cause: 99)
    effect.id = 100
    #expect(CanonicalForm(of: [effect]).lines.count == 1)
    effect.cause = 100
    #expect(CanonicalForm(of: [effect]).lines.count == 1)
  }
}
