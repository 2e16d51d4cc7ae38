import Ledger
import Platform
import Testing

@Suite struct ObservingTests {
  @Test func eventsComeInOrderAndOnlyMatchingOnes() throws {
    let fixture = try Fixture()
    let seen = Locked<[String]>([])
    let observation = fixture.recorder.observe(matching: Query(callClass: "open")) { event in
      let word =
        switch event {
        case .began: "began"
        case .updated: "updated"
        case .finished: "finished"
        }
      seen.withLock { $0.append("\(word) \(event.record.id)") }
    }
    let id = fixture.recorder.begin(record("open"))
    fixture.recorder.add(record("stat", answer: "present"))
    fixture.recorder.update(id, bytes: 1)
    fixture.recorder.finish(id, answer: "present")
    observation.end()
    fixture.recorder.add(record("open", answer: "present"))
    #expect(seen.withLock { $0 } == ["began 1", "updated 1", "finished 1"])
  }

  @Test func anObserverThatGoesAwayIsNotCalled() throws {
    let fixture = try Fixture()
    let count = Locked(0)
    do {
      let observation = fixture.recorder.observe { _ in count.withLock { $0 += 1 } }
      fixture.recorder.add(record(answer: "present"))
      withExtendedLifetime(observation) {}
    }
    let before = count.withLock { $0 }
    fixture.recorder.add(record(answer: "present"))
    #expect(before == 2 && count.withLock { $0 } == 2)
  }

  @Test func anObserverMayUseTheRecorder() throws {
    let fixture = try Fixture()
    let observation = fixture.recorder.observe(matching: Query(callClass: "open")) { event in
      guard case .finished(let finished) = event else { return }
      fixture.recorder.add(record("stat", finished.path, answer: "present"))
      #expect(fixture.recorder.records().count == 2)
    }
    fixture.recorder.add(record("open", "/x", answer: "present"))
    observation.end()
    #expect(fixture.recorder.records().map(\.callClass) == ["open", "stat"])
  }

  @Test func eventsOfManyThreadsReachAnObserverInTheOrderOfNumbers() async throws {
    let fixture = try Fixture(capacity: 10_000)
    let began = Locked<[UInt64]>([])
    let observation = fixture.recorder.observe { event in
      if case .began(let record) = event { began.withLock { $0.append(record.id) } }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<500 { _ = fixture.recorder.begin(record()) } }
      }
    }
    // Whoever delivers may still be at it when the others return; one more call waits for nobody, so
    // the order is what counts here, and the number once the observation has seen the last.
    let seen = began.withLock { $0 }
    observation.end()
    #expect(seen == Array(1...UInt64(seen.count)))
  }

  @Test func aRecordThatIsThereAlreadyIsNotWaitedFor() async throws {
    let fixture = try Fixture()
    fixture.recorder.add(record("open", answer: "present"))
    let found = await fixture.recorder.firstRecord(matching: Query(callClass: "open"))
    #expect(found?.id == 1)
  }

  @Test func awaitingEndsWithTheRecord() async throws {
    let fixture = try Fixture()
    let query = Query(callClass: "read", progress: .finished)
    async let found = fixture.recorder.firstRecord(matching: query)
    let id = fixture.recorder.begin(record("read", "/late"))
    fixture.recorder.finish(id, answer: "EIO")
    #expect(await found?.answer == "EIO")
  }

  @Test func awaitingEndsWithTheTask() async throws {
    let fixture = try Fixture()
    let task = Task { await fixture.recorder.firstRecord(matching: Query(callClass: "never")) }
    task.cancel()
    #expect(await task.value == nil)
  }
}
