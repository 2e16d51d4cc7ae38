import Glibc

/// Prints a line at once, in one piece, from any thread.
func say(_ line: String) {
  var text = line + "\n"
  text.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
}
