public import Catalog
import Glibc
import Platform

/// The folder in which a device keeps its catalog and its content.
public enum DeviceFolder {
  /// Where the content lies.
  public static func content(in folder: String) -> String { folder + "/content" }

  /// Opens a device's catalog, or makes a new one. One that is damaged is set aside and rebuilt.
  ///
  /// - Parameters:
  ///   - bootIdentifier: names the running kernel; nil asks the system.
  ///   - fileSystem: the name of SQLite's file system; nil for the system's.
  /// - Returns: the catalog, and what a rebuild has done if there was one.
  /// - Throws: as `Catalog.init`, except for damage; a catalog that cannot be read for another reason is
  ///   left alone.
  public static func open(
    _ folder: String, bootIdentifier: String? = nil, fileSystem: String? = nil
  ) throws(CatalogError) -> (catalog: Catalog, rebuild: CatalogRebuild?) {
    let path = content(in: folder)
    do throws(CatalogError) {
      let catalog = try Catalog(
        directory: folder, bootIdentifier: bootIdentifier, mustExist: hasContent(path),
        fileSystem: fileSystem)
      return (catalog, nil)
    } catch {
      guard error.code == .corrupt else { throw error }
      return try rebuild(folder, path, error, bootIdentifier, fileSystem)
    }
  }

  /// Looks at every page and row of a device's catalog, and at the length of every content file.
  ///
  /// - Returns: what is wrong, each in a few words; empty when all is well. Nothing is repaired.
  /// - Throws: as `Catalog.init`, except for damage.
  public static func examine(_ folder: String) throws(CatalogError) -> [String] {
    let path = content(in: folder)
    do throws(CatalogError) {
      let catalog = try Catalog(directory: folder, mustExist: hasContent(path), isThorough: true)
      defer { catalog.close() }
      guard let content = try? ContentFolder(at: path) else { return [] }
      return try problems(catalog, content)
    } catch {
      guard error.code == .corrupt else { throw error }
      return ["the catalog is damaged (\(error.reason)); the next mount rebuilds it"]
    }
  }

  private static func problems(
    _ catalog: Catalog, _ content: ContentFolder
  ) throws(CatalogError) -> [String] {
    var problems: [String] = []
    var last = InodeNumber(rawValue: 0)
    while true {
      let rows = try catalog.materialized(limit: 1000, after: last)
      guard let end = rows.last else { return problems }
      last = end.inode
      for entry in rows where entry.size > 0 {
        let length = (try? content.size(of: ContentKey(entry))) ?? nil
        guard length ?? 0 < entry.size else { continue }
        let path = try catalog.path(of: entry.inode) ?? ""
        problems.append("the content of \(path): \(length ?? 0) of \(entry.size) bytes are there")
      }
    }
  }

  private static func rebuild(
    _ folder: String, _ path: String, _ damage: CatalogError, _ boot: String?,
    _ fileSystem: String?
  ) throws(CatalogError) -> (catalog: Catalog, rebuild: CatalogRebuild?) {
    let content: ContentFolder
    do throws(Errno) {
      content = try ContentFolder(at: path)
    } catch {
      throw CatalogError(
        error == .noSpace ? .full : .io, "the folder \(path) cannot be used: \(error)")
    }
    let (catalog, report) = try Catalog.rebuild(
      directory: folder, after: damage, contents: content.survey(), bootIdentifier: boot,
      fileSystem: fileSystem
    ) { file, aside in
      content.setAside(ContentKey(inode: file.inode, serial: file.serial), to: aside)
    }
    return (catalog, report)
  }

  /// Whether there is any content, which without a catalog nobody could have brought.
  private static func hasContent(_ path: String) -> Bool {
    guard access(path, F_OK) == 0, let content = try? ContentFolder(at: path) else { return false }
    return !content.isEmpty
  }
}
