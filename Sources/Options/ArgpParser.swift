internal import CArgp
internal import Glibc

/// Parses one command's arguments with argp of the GNU C library: long options and their
/// abbreviations, short ones together, `--`, and options behind operands.
///
/// What is wrong is told on standard error, in argp's words.
struct ArgpParser {
  /// Short names are their own keys; options without one are numbered from here.
  private static let firstKey: CInt = 256

  private let title: String
  private let options: [Option]

  /// - Parameter title: the words that begin a message, such as "fauxdrive profile show".
  init(title: String, options: [Option]) {
    self.title = title
    self.options = options
  }

  /// What the callback needs.
  private final class Context {
    let parser: ArgpParser
    var arguments = Arguments()
    init(_ parser: ArgpParser) { self.parser = parser }
  }

  /// The arguments, or nil when something is wrong and has been told.
  func parse(_ words: [String]) -> Arguments? {
    let context = Context(self)
    // argp keeps pointers to the texts, which must therefore outlive the call.
    let argv = ([title] + words).map { strdup($0) }
    let names = options.map { strdup($0.name) }
    let metavars = options.map { $0.argument.map { strdup($0) } }
    defer {
      for text in argv + names { free(text) }
      for text in metavars { if let text { free(text) } }
    }
    var table = options.indices.map { index in
      argp_option(
        name: names[index], key: key(of: index), arg: metavars[index] ?? nil, flags: 0, doc: nil,
        group: 0)
    }
    table.append(argp_option())
    let isFine = table.withUnsafeBufferPointer { table in
      var argp = argp()
      argp.options = table.baseAddress
      argp.parser = { key, value, state in ArgpParser.receive(key, value, state) }
      var vector = argv + [nil]
      let flags = CUnsignedInt(ARGP_NO_HELP | ARGP_NO_EXIT)
      return withExtendedLifetime(context) {
        argp_parse(
          &argp, CInt(argv.count), &vector, flags, nil,
          Unmanaged.passUnretained(context).toOpaque()) == 0
      }
    }
    return isFine ? context.arguments : nil
  }

  private func key(of index: Int) -> CInt {
    options[index].short?.asciiValue.map(CInt.init) ?? Self.firstKey + CInt(index)
  }

  private static func receive(
    _ key: CInt, _ value: UnsafeMutablePointer<CChar>?, _ state: UnsafeMutablePointer<argp_state>?
  ) -> error_t {
    guard let input = state?.pointee.input else { return EINVAL }
    let context = Unmanaged<Context>.fromOpaque(input).takeUnretainedValue()
    let text = value.map { String(cString: $0) } ?? ""
    if key == ARGP_KEY_ARG {
      context.arguments.add(operand: text)
      return 0
    }
    let parser = context.parser
    guard let index = parser.options.indices.first(where: { parser.key(of: $0) == key }) else {
      // ARGP_ERR_UNKNOWN, a macro that Swift does not see.
      return E2BIG
    }
    context.arguments.add(text, to: parser.options[index].name)
    return 0
  }
}
