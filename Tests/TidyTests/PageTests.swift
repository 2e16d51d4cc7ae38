import Foundation
import Testing

/// The documentation holds together, and so do the tests that prove it.
@Suite struct PageTests {
  @Test func everyRelativeLinkLeadsSomewhere() {
    for page in Repository.pages {
      let folder = (page.path as NSString).deletingLastPathComponent
      for match in page.text.matches(of: #/\]\(([^)\s]+)\)/#) where !match.1.contains("://") {
        let parts = match.1.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let path =
          parts[0].isEmpty ? page.path : folder.isEmpty ? parts[0] : folder + "/" + parts[0]
        guard FileManager.default.fileExists(atPath: Repository.url(path).path) else {
          Issue.record("\(page.path) links to \(match.1), which is not there")
          continue
        }
        guard parts.count > 1, let target = Repository.file(path) else { continue }
        #expect(
          Self.anchors(of: target).contains(parts[1]),
          "\(page.path) links to the section \(match.1), which is not there")
      }
    }
  }

  /// The sections of a page, as links name them.
  private static func anchors(of page: Repository.File) -> Set<String> {
    Set(
      page.lines.filter { $0.hasPrefix("#") }.map { line in
        let title = line.drop { $0 == "#" || $0 == " " }.lowercased()
        return String(title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) })
          .replacing(" ", with: "-")
      })
  }

  @Test func theStatementsAboutBehaviourAndTheTestsThatQuoteThemAgree() throws {
    guard let page = Repository.file("docs/semantics.md") else { return }
    let statements = Set(Statement.all(in: page.text))
    let quotes = Repository.swift.flatMap { file in
      Statement.quotes(in: file.text).map { (text: $0, path: file.path) }
    }
    for quote in quotes where !statements.contains(quote.text) {
      Issue.record("\(quote.path) quotes what docs/semantics.md does not say: \(quote.text)")
    }
    let quoted = Set(quotes.map(\.text))
    for statement in statements.subtracting(quoted).sorted() {
      Issue.record("docs/semantics.md says what no test quotes: \(statement)")
    }
  }

  @Test func statementsAndQuotesAreRead() {
    let page =
      "# A\n\nIntro, no statement.\n\n- One `x`\n  goes on.\n- Two.\n\nMore text.\n* Three.\n"
    #expect(Statement.all(in: page) == ["One `x` goes on.", "Two.", "Three."])
    let mark = "semantics:"
    let source = """
      /// \(mark) "One `x` goes on."
      /// Reads.
      /// \(mark) "A long statement
      /// of two lines."
      let text = "other"
      """
    #expect(Statement.quotes(in: source) == ["One `x` goes on.", "A long statement of two lines."])
  }
}

/// Sentences of docs/semantics.md: its list items.
enum Statement {
  static func all(in page: String) -> [String] {
    var statements: [String] = []
    var isOpen = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("- ") || line.hasPrefix("* ") {
        statements.append(String(line.dropFirst(2)))
        isOpen = true
      } else if isOpen, line.hasPrefix("  "), let last = statements.popLast() {
        statements.append(last + " " + line.drop { $0 == " " })
      } else {
        isOpen = false
      }
    }
    return statements
  }

  /// What a doc comment quotes behind `semantics:`, on one line or several.
  static func quotes(in source: String) -> [String] {
    let comments = source.split(separator: "\n").map { line -> String in
      let code = line.drop { $0 == " " }
      return code.hasPrefix("//") ? String(code.drop { $0 == "/" || $0 == " " }) : "\n"
    }
    let text = comments.joined(separator: " ")
    return text.matches(of: #/semantics: "([^\n]*?[.!?)])"(?= |$)/#).map { String($0.1) }
  }
}
