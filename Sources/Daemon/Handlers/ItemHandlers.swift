import Catalog
import Cloud
import Control
import Drive
import Platform

/// The methods `item.*`.
extension ControlMethods {
  mutating func registerItems(_ world: World) {
    register(ItemList.self) { params, _ throws(ControlError) in
      let drive = try world.drive(params.device)
      return try ControlError.translating { () throws(DriveError) in
        let children = try drive.children(of: try drive.find(params.path))
        let items = (children ?? []).map(ItemInfo.init).sorted { $0.name < $1.name }
        return ItemList.Result(isKnown: children != nil, items: items)
      }
    }
    register(Control.ItemStatus.self) { params, _ throws(ControlError) in
      let drive = try world.drive(params.device)
      let items = params.paths.map { path in
        ItemOutcome(path) { () throws(DriveError) in try drive.info(path) }
      }
      return Control.ItemStatus.Result(items: items)
    }
    register(ItemEvict.self) { params, context throws(ControlError) in
      let drive = try world.drive(params.device)
      var items: [ItemOutcome] = []
      for path in params.paths {
        items.append(
          await ItemOutcome(path) { () async throws(DriveError) in
            try await drive.evict(try drive.find(path), caller: context.peer.caller)
            return try drive.info(path)
          })
      }
      return ItemEvict.Result(items: items)
    }
    register(ItemPin.self) { params, context throws(ControlError) in
      let drive = try world.drive(params.device)
      let state = try Self.pin(params.state)
      var items: [ItemOutcome] = []
      for path in params.paths {
        items.append(
          await ItemOutcome(path) { () async throws(DriveError) in
            let inode = try await drive.findOrFetch(path)
            try drive.setPin(state, of: inode, caller: context.peer.caller)
            return try drive.info(path)
          })
      }
      await drive.settleCachesInTime()
      return ItemPin.Result(items: items)
    }
    register(ItemDownload.self) { params, context throws(ControlError) in
      let drive = try world.drive(params.device)
      let items = await drive.download(params, context)
      await drive.settleCachesInTime()
      return ItemDownload.Result(items: items)
    }
  }
}

extension ControlMethods {
  /// Nil to follow the folder.
  private static func pin(
    _ state: Control.PinState
  ) throws(ControlError) -> Pin? {
    switch state {
    case .inherited: nil
    case .excluded:
      throw ControlError(
        .unsupported, "no item can be excluded from the cloud",
        remedy: "use pinned, unpinned, unspecified or inherited")
    case .pinned, .unpinned, .unspecified: Pin(rawValue: state.rawValue)
    }
  }
}

extension Drive {
  fileprivate func info(_ path: String) throws(DriveError) -> ItemInfo {
    guard let status = status(of: try find(path)) else {
      throw DriveError(.notFound, "\(path) is gone")
    }
    return ItemInfo(status)
  }

  /// All downloads begin at once; the answer comes when the last has ended.
  fileprivate func download(
    _ params: ItemDownload.Params, _ context: ControlContext<ItemDownload>
  ) async -> [ItemOutcome] {
    let caller = context.peer.caller
    var started: [(path: String, download: Download?, error: DriveError?)] = []
    for path in params.paths {
      do throws(DriveError) {
        let inode = try await findOrFetch(path)
        let wait = try startDownload(inode, caller: caller, waiting: params.wait)
        started.append((path, wait.map { Download(path: path, inode: inode, wait: $0) }, nil))
      } catch {
        started.append((path, nil, error))
      }
    }
    var items: [ItemOutcome] = []
    for (path, download, error) in started {
      items.append(
        await ItemOutcome(path) { () async throws(DriveError) in
          if let error { throw error }
          if let download { try await finish(download, params.progress ? context : nil) }
          return try info(path)
        })
    }
    return items
  }

  private struct Download {
    let path: String
    let inode: InodeNumber
    let wait: Ticket<Void>
  }

  private func finish(
    _ download: Download, _ context: ControlContext<ItemDownload>?
  ) async throws(DriveError) {
    guard let context else { return try await awaitDownload(of: download.inode, download.wait) }
    let (steps, feed) = AsyncStream.makeStream(
      of: Int64.self, bufferingPolicy: .bufferingNewest(1))
    let observer = observeProgress(of: download.inode) { feed.yield($0) }
    let size = status(of: download.inode)?.size ?? 0
    async let telling: Void = {
      for await done in steps {
        let progress = ItemDownload.Progress(path: download.path, bytesDone: done, bytesTotal: size)
        guard await context.notify(progress) else { return }
      }
    }()
    let result: Result<Void, DriveError>
    do throws(DriveError) {
      try await awaitDownload(of: download.inode, download.wait)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    stopObserving(observer)
    feed.finish()
    await telling
    try result.get()
  }
}

extension ItemOutcome {
  init(_ path: String, _ body: () throws(DriveError) -> ItemInfo) {
    do throws(DriveError) {
      self.init(path: path, info: try body())
    } catch {
      self.init(path: path, error: ControlError(error))
    }
  }

  init(_ path: String, _ body: () async throws(DriveError) -> ItemInfo) async {
    do throws(DriveError) {
      self.init(path: path, info: try await body())
    } catch {
      self.init(path: path, error: ControlError(error))
    }
  }
}

extension ItemInfo {
  fileprivate init(_ status: ItemState) {
    self.init(
      path: status.path, name: status.name, kind: ItemType(status.kind), size: status.size,
      modified: status.modified.nanosecondsSince1970,
      status: Control.DownloadingStatus(rawValue: status.downloadingStatus.rawValue)
        ?? .notDownloaded,
      percent: status.percent, isPending: status.isPending,
      isTransferring: status.isDownloading || status.isUploading,
      pin: Control.PinState(rawValue: status.pin.rawValue) ?? .unspecified, item: status.item,
      version: status.version, inode: status.inode.rawValue, error: status.error)
  }
}

extension ItemType {
  init(_ kind: ItemKind) {
    self =
      switch kind {
      case .file: .file
      case .folder: .folder
      case .symlink: .symlink
      }
  }
}

extension Timestamp {
  var nanosecondsSince1970: Int64 { seconds &* 1_000_000_000 &+ Int64(nanoseconds) }
}
