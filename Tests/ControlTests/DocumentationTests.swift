import Control
import Foundation
import Platform
import Testing

/// What docs/control.md says, against what the types say.
@Suite struct DocumentationTests {
  private static let document: String = {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return (try? String(contentsOfFile: "/\(root)/docs/control.md", encoding: .utf8)) ?? ""
  }()

  /// The text below a heading, up to the next one of the same or a higher level.
  private static func section(_ name: String) -> String? {
    guard let start = document.range(of: "\n### \(name)\n") else { return nil }
    let rest = document[start.upperBound...]
    let end = ["\n### ", "\n## "].compactMap { rest.range(of: $0)?.lowerBound }.min()
    return String(rest[..<(end ?? rest.endIndex)])
  }

  private static func fields(of method: any ControlMethod.Type) throws -> [FieldSet] {
    func read<Method: ControlMethod>(_ method: Method.Type) throws -> [FieldSet] {
      try FieldSet.all(in: Method.Params.self, Method.Result.self, Method.Progress.self)
    }
    return try read(method)
  }

  @Test(arguments: ControlProtocol.methods.map { $0.name }) func everyMethodIsDocumented(
    name: String
  ) throws {
    let section = try #require(Self.section(name), "docs/control.md has no section '\(name)'")
    #expect(section.contains("Parameters"))
    #expect(section.contains("Result"))
    #expect(section.contains("Errors: "))
  }

  @Test(arguments: ControlProtocol.methods.map { $0.name }) func everyFieldIsDocumented(
    name: String
  ) throws {
    let method = try #require(ControlProtocol.methods.first { $0.name == name })
    for set in try Self.fields(of: method) {
      // A type that several methods use has a section of its own.
      let type = Self.section(set.type) == nil ? name : set.type
      let section = try #require(Self.section(type))
      for field in set.fields {
        #expect(section.contains("| `\(field)` |"), "\(type) does not tell of '\(field)'")
      }
    }
  }

  @Test func noMethodIsDocumentedThatDoesNotExist() {
    let names = Set(ControlProtocol.methods.map { $0.name })
    let headings = Self.document.split(separator: "\n").filter { $0.hasPrefix("### ") }
      .map { String($0.dropFirst(4)) }.filter { $0.contains(".") }
    #expect(Set(headings) == names)
    #expect(headings.count == names.count)
  }

  @Test(arguments: [
    ControlError.Code.parseError, .invalidRequest, .unknownMethod, .invalidParameters,
    .internalError, .failed, .notFound, .refused, .offline, .timedOut, .cancelled, .denied,
    .unsupported, .exists,
  ])
  func everyCodeIsDocumentedWithItsExitStatus(code: ControlError.Code) throws {
    let row = Self.document.split(separator: "\n").first { $0.hasPrefix("| \(code.rawValue) |") }
    let exit = ControlError(code, "").exitCode.rawValue
    #expect(try #require(row).hasSuffix("| \(exit) |"))
  }

  @Test func whatHasADefaultMayBeAbsent() throws {
    let download = try JSONDecoder().decode(
      ItemDownload.Params.self, from: Data(#"{"paths": ["/a"]}"#.utf8))
    #expect(download == ItemDownload.Params(paths: ["/a"], wait: true, progress: false))
    let query = try JSONDecoder().decode(LedgerQuery.Params.self, from: Data("{}".utf8))
    #expect(query == LedgerQuery.Params(filter: LedgerFilter(), limit: 1000))
    let gate = try JSONDecoder().decode(
      GateClose.Params.self, from: Data(#"{"checkpoint": "requested"}"#.utf8))
    #expect(gate.path == "*" && gate.device == nil)
  }
}
