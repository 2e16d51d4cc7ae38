import Control
import Foundation
import Glibc
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct ControlServerTests {
  @Test func aMethodAnswersItsParameters() throws {
    let server = try TestServer()
    let client = try server.client()
    #expect(try client.call(Echo.self, .init(text: "ab", times: 3)).text == "ababab")
    #expect(try client.call(Echo.self, .init(text: "ä\n\"\u{0}", times: nil)).text == "ä\n\"\u{0}")
  }

  @Test func aFailureArrivesWithItsCodeRemedyAndErrno() throws {
    let server = try TestServer()
    let client = try server.client()
    let error = try #require(throws: ControlError.self) { try client.call(Fail.self, Nothing()) }
    #expect(
      error == ControlError(.refused, "it is open", remedy: "close it", errno: .busy))
    #expect(error.exitCode == .failure)
    #expect("\(error)" == "it is open; close it")
  }

  @Test func linesAreExactlyAsDocumented() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    caller.write(
      #"{"jsonrpc": "2.0", "id": "a", "method": "test.echo", "params": {"text": "x"}}"# + "\n")
    #expect(caller.line() == #"{"id":"a","jsonrpc":"2.0","result":{"text":"x"}}"#)
    caller.write(#"{"jsonrpc": "2.0", "id": 7, "method": "test.fail"}"# + "\r\n")
    #expect(
      caller.line()
        == #"{"id":7,"jsonrpc":"2.0","error":{"code":3,"data":"#
        + #"{"errno":"EBUSY","remedy":"close it"},"message":"it is open"}}"#)
    caller.write(
      #"{"jsonrpc": "2.0", "id": 8, "method": "test.count", "params": {"to": 1, "padding": 0}}"#
        + "\n")
    #expect(
      caller.line()
        == #"{"jsonrpc":"2.0","method":"progress","params":{"request":8,"#
        + #""value":{"number":1,"padding":""}}}"#)
    #expect(caller.line() == #"{"id":8,"jsonrpc":"2.0","result":{"sent":1}}"#)
  }

  static let malformed: [(line: String, code: Int, id: String)] = [
    ("nonsense", -32700, "null"), ("{", -32700, "null"), ("\u{0}", -32700, "null"),
    ("{\"id\": 1}", -32600, "1"), ("[]", -32600, "null"), ("3", -32600, "null"),
    ("\"text\"", -32600, "null"), ("{}", -32600, "null"),
    (#"{"jsonrpc": "1.0", "id": 1, "method": "test.echo"}"#, -32600, "1"),
    (#"{"jsonrpc": "2.0", "id": 1}"#, -32600, "1"),
    (#"{"jsonrpc": "2.0", "id": null, "method": "x"}"#, -32601, "null"),
    (#"{"jsonrpc": "2.0", "id": {"a": 1}, "method": "x"}"#, -32601, "null"),
    (#"{"jsonrpc": "2.0", "id": 1, "method": "no.such"}"#, -32601, "1"),
    (#"{"jsonrpc": "2.0", "id": 1, "method": "test.echo"}"#, -32602, "1"),
    (#"{"jsonrpc": "2.0", "id": 1, "method": "test.echo", "params": []}"#, -32602, "1"),
    (#"{"jsonrpc": "2.0", "id": 1, "method": "test.echo", "params": {"text": 3}}"#, -32602, "1"),
    (
      #"{"jsonrpc": "2.0", "id": 1, "method": "test.echo", "params": {"text": "", "time": 3}}"#,
      -32602, "1"
    ),
    (#"{"jsonrpc": "2.0", "id": 1, "method": "request.cancel", "params": {}}"#, -32602, "1"),
    (String(repeating: "[", count: 100_000), -32600, "null"),
    (#"{"a":"# + String(repeating: "[", count: 100_000), -32700, "null"),
  ]

  @Test(arguments: malformed.indices) func malformedInputGetsAProperErrorAndHarmsNothing(
    index: Int
  ) throws {
    let (line, code, id) = Self.malformed[index]
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    caller.write(line + "\n")
    let answer = try #require(caller.line())
    #expect(answer.contains("\"code\":\(code),"), "\(answer)")
    #expect(answer.contains("\"id\":\(id),"), "\(answer)")
    caller.write(
      #"{"jsonrpc": "2.0", "id": 9, "method": "test.echo", "params": {"text": "y"}}"# + "\n")
    #expect(caller.line() == #"{"id":9,"jsonrpc":"2.0","result":{"text":"y"}}"#)
  }

  @Test func wrongParametersAreNamed() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    for (params, words) in [
      (#"{}"#, "text: is missing"), (#"{"text": 1}"#, "text: must be a text"),
      (#"{"text": "", "times": "3"}"#, "times: must be a whole number"),
      (#"{"text": "", "times": null}"#, "result"),
      (#"{"text": "", "time": 3}"#, "time: is not a parameter of this method"),
    ] {
      caller.write(
        #"{"jsonrpc": "2.0", "id": 1, "method": "test.echo", "params": "# + params + "}\n")
      #expect(caller.line()?.contains(words) == true, "\(params)")
    }
  }

  @Test func aRequestThatWaitsHoldsUpNoOther() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    // More waiting requests than the pool has threads.
    for id in 1...20 {
      caller.write("{\"jsonrpc\": \"2.0\", \"id\": \(id), \"method\": \"test.hold\"}\n")
    }
    caller.write(
      #"{"jsonrpc": "2.0", "id": 99, "method": "test.echo", "params": {"text": "z"}}"# + "\n")
    #expect(caller.line() == #"{"id":99,"jsonrpc":"2.0","result":{"text":"z"}}"#)
    #expect(try server.client().call(Echo.self, .init(text: "w", times: nil)).text == "w")
  }

  @Test func aHeldRequestAnswersWhenItIsReleased() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    caller.write(#"{"jsonrpc": "2.0", "id": 1, "method": "test.hold"}"# + "\n")
    server.gate.open()
    #expect(caller.line() == #"{"id":1,"jsonrpc":"2.0","result":{}}"#)
  }

  @Test func aClosedConnectionCancelsItsRequests() async throws {
    let server = try TestServer()
    do {
      let caller = try RawCaller(path: server.path)
      caller.write(#"{"jsonrpc": "2.0", "id": 1, "method": "test.hold"}"# + "\n")
    }
    #expect(await server.wasCancelled.value() == true)
  }

  @Test func aCallerThatOnlyEndsItsInputStillGetsItsAnswers() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    caller.write(#"{"jsonrpc": "2.0", "id": 1, "method": "test.hold"}"# + "\n")
    caller.endWriting()
    server.gate.open()
    #expect(caller.line() == #"{"id":1,"jsonrpc":"2.0","result":{}}"#)
    #expect(caller.isAtEnd())
  }

  @Test func oneRequestCanBeCancelled() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    caller.write(#"{"jsonrpc": "2.0", "id": "h", "method": "test.hold"}"# + "\n")
    for id in 2...3 {
      caller.write(
        "{\"jsonrpc\": \"2.0\", \"id\": \(id), \"method\": \"request.cancel\", "
          + "\"params\": {\"request\": \"h\"}}\n")
      let lines = id == 2 ? [caller.line(), caller.line()] : [caller.line()]
      let answers = lines.compactMap { $0 }
      #expect(answers.contains { $0.contains("\"id\":\(id)") && $0.contains("\(id == 2)") })
      if id == 2 {
        #expect(answers.contains { $0.contains("\"id\":\"h\"") && $0.contains("\"code\":6,") })
      }
    }
  }

  @Test func aRequestWithoutIdentifierIsNotAnswered() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    caller.write(#"{"jsonrpc": "2.0", "method": "test.fail"}"# + "\n\n   \n")
    caller.write(#"{"jsonrpc": "2.0", "id": 2, "method": "test.fail"}"# + "\n")
    #expect(caller.line()?.contains("\"id\":2") == true)
  }

  @Test func progressArrivesInOrderBeforeTheResult() throws {
    let server = try TestServer()
    let client = try server.client()
    var numbers: [Int] = []
    let result = try client.call(Count.self, .init(to: 50, padding: 10)) {
      numbers.append($0.number)
    }
    #expect(numbers == Array(1...50))
    #expect(result.sent == 50)
  }

  @Test func aCallerThatDoesNotReadMakesItsRequestWaitAndNothingElse() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    caller.write(
      #"{"jsonrpc": "2.0", "id": 1, "method": "test.count", "params": {"to": 100, "padding": 100000}}"#
        + "\n")
    // The sender has 1 MiB and the socket's buffers; ten million bytes do not fit.
    let other = try server.client()
    for _ in 0..<50 { _ = try other.call(Echo.self, .init(text: "x", times: 1)) }
    #expect(server.counted.withLock { $0 } < 60)
    var lines = 0
    while let line = caller.line() {
      lines += 1
      if line.contains("result") { break }
    }
    #expect(lines == 101)
    #expect(server.counted.withLock { $0 } == 100)
  }

  @Test func aLineThatIsTooLongIsRefusedAndTheNextOneAnswered() throws {
    let server = try TestServer()
    let caller = try RawCaller(path: server.path)
    caller.write([UInt8](repeating: UInt8(ascii: "x"), count: (4 << 20) + 100) + [10])
    #expect(caller.line()?.contains("\"code\":-32600,") == true)
    caller.write(
      #"{"jsonrpc": "2.0", "id": 9, "method": "test.echo", "params": {"text": "y"}}"# + "\n")
    #expect(caller.line() == #"{"id":9,"jsonrpc":"2.0","result":{"text":"y"}}"#)
  }

  @Test func aLongLineIsAnswered() throws {
    let server = try TestServer()
    let text = String(repeating: "long ", count: 700_000)
    #expect(try server.client().call(Echo.self, .init(text: text, times: 1)).text == text)
  }

  @Test func callersBeyondTheLimitAreSentAway() throws {
    let server = try TestServer()
    var callers: [RawCaller] = []
    for _ in 0..<ControlServer.maximumConnections {
      let caller = try RawCaller(path: server.path)
      caller.write(#"{"jsonrpc": "2.0", "id": 1, "method": "test.fail"}"# + "\n")
      #expect(caller.line() != nil)
      callers.append(caller)
    }
    let error = try #require(throws: ControlError.self) {
      try server.client().call(Fail.self, Nothing())
    }
    #expect(error.code == .refused && error.message.contains("64 connections"))
    #expect(callers.count == 64)
  }

  @Test func randomLinesNeverStopTheServer() throws {
    let server = try TestServer()
    let random = KeyedRandom(seed: 11)
    let original = Array(
      #"{"jsonrpc": "2.0", "id": 1, "method": "test.echo", "params": {"text": "x", "times": 2}}"#
        .utf8)
    let caller = try RawCaller(path: server.path)
    for round in UInt64(0)..<500 {
      var bytes = original
      for step in UInt64(0)..<4 {
        let place = Int(
          random.draw(below: UInt64(bytes.count), "place", "\(step)", occurrence: round))
        let byte = UInt8(truncatingIfNeeded: random.draw("byte", "\(step)", occurrence: round))
        if byte & 1 == 0 { bytes[place] = byte } else { bytes.remove(at: place) }
      }
      caller.write(bytes + [10])
    }
    caller.write(
      "\n" + #"{"jsonrpc": "2.0", "id": "end", "method": "test.echo", "params": {"text": "y"}}"#
        + "\n")
    var found = false
    while !found, let line = caller.line() { found = line.contains("\"id\":\"end\"") }
    #expect(found)
  }
}
