import Foundation

/// The document: a saved game, kept as a property list.
struct Game: Codable {
  var title: String
  var level: Int
  var score: Int

  init(contentsOf url: URL) throws {
    self = try PropertyListDecoder().decode(Game.self, from: Data(contentsOf: url))
  }
}
