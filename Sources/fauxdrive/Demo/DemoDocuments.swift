import Foundation

/// Makes the documents that the demonstration puts into the cloud.
enum DemoDocuments {
  /// Writes a saved game and a photo into a new folder.
  static func make(in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let game: [String: Any] = ["title": "Harbour Lights", "level": 7, "score": 12_500]
    let list = try PropertyListSerialization.data(fromPropertyList: game, format: .xml, options: 0)
    try list.write(to: URL(filePath: folder + "/Game.plist"))
    try Data(photo(width: 1280, height: 960)).write(to: URL(filePath: folder + "/Photo.bmp"))
  }

  /// The command lines that make a git repository with two commits.
  static func repository(in folder: String) -> [String] {
    let git = "git -C \(folder)/Notes"
    return [
      "git init -q -b main \(folder)/Notes",
      "printf 'Notes on harbours\\n' >\(folder)/Notes/README",
      "\(git) add README && \(git) commit -q -m 'Begin the notes'",
      "printf 'High water at noon\\n' >\(folder)/Notes/tides.txt",
      "\(git) add tides.txt && \(git) commit -q -m 'Add the tides'",
    ]
  }

  /// A picture in the format BMP, 24 bits a pixel, whose rows need no padding.
  private static func photo(width: Int, height: Int) -> [UInt8] {
    precondition(width % 4 == 0, "a row of a bitmap is a multiple of four bytes")
    let pixels = width * height * 3
    var file = Array("BM".utf8)
    func append(_ number: Int, bytes: Int) {
      for shift in 0..<bytes { file.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }
    for number in [54 + pixels, 0, 54, 40, width, height] { append(number, bytes: 4) }
    for number in [1, 24] { append(number, bytes: 2) }
    for number in [0, pixels, 2835, 2835, 0, 0] { append(number, bytes: 4) }
    file.reserveCapacity(54 + pixels)
    for row in 0..<height {
      for column in 0..<width {
        file.append(UInt8(255 * row / height))
        file.append(UInt8(255 * column / width))
        file.append(UInt8(truncatingIfNeeded: (row / 8) ^ (column / 8)))
      }
    }
    return file
  }
}
