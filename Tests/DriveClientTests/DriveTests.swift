import Control
import DriveClient
import Foundation
import Ledger
import Platform
import Testing

/// A drive against a server that tells what it was asked.
@Suite(.timeLimit(.minutes(15))) struct DriveTests {
  private final class Fake {
    let directory = "/tmp/drive-\(UUID().uuidString)"
    let server: ControlServer

    init(_ register: (inout ControlMethods) -> Void) throws {
      var methods = ControlMethods()
      register(&methods)
      server = ControlServer(
        path: WorldLayout(directory: directory).controlSocket, workers: WorkerPool(threads: 1),
        methods: methods)
      try server.start()
    }

    deinit {
      server.stop()
      try? FileManager.default.removeItem(atPath: directory)
    }
  }

  @Test func aDownloadNamesTheDeviceAndReportsProgress() throws {
    let fake = try Fake { methods in
      methods.register(ItemDownload.self) { params, context in
        if params.progress {
          await context.notify(.init(path: params.paths[0], bytesDone: 1, bytesTotal: 2))
        }
        let note = "\(params.device ?? "none") \(params.wait)"
        return .init(items: [ItemOutcome(path: note, info: nil, error: nil)])
      }
    }
    let drive = Drive(device: "phone", of: try World(directory: fake.directory))
    var progress: [ItemDownload.Progress] = []
    let outcome = try drive.download(["/a"]) { progress.append($0) }
    #expect(outcome.map(\.path) == ["phone true"])
    #expect(progress == [.init(path: "/a", bytesDone: 1, bytesTotal: 2)])
    #expect(try drive.download(["/a"], wait: false).map(\.path) == ["phone false"])
  }

  @Test func aLongDocumentOfTheCloudIsReadInPieces() throws {
    let content = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let fake = try Fake { methods in
      methods.register(CloudRead.self) { params, _ in
        let end = min(content.count, Int(params.offset + params.count))
        return .init(
          data: Data(content[Int(params.offset)..<end]), size: Int64(content.count), version: "1")
      }
    }
    let world = try World(directory: fake.directory)
    #expect(try world.cloudContent("/big") == content)
  }

  @Test func aDocumentThatChangesWhileItIsReadIsNotMixed() throws {
    let fake = try Fake { methods in
      methods.register(CloudRead.self) { params, _ in
        .init(data: Data([1]), size: 3, version: "\(params.offset)")
      }
    }
    let error = try #require(throws: ControlError.self) {
      try World(directory: fake.directory).cloudContent("/big")
    }
    #expect(error.code == .failed)
  }

  @Test func theLedgerIsReadPageByPage() throws {
    let fake = try Fake { methods in
      methods.register(LedgerQuery.self) { params, _ in
        let first = (params.filter.after ?? 0) + 1
        let records = (first..<min(first + 4, 11)).map { number in
          var record = Record(
            kind: .request, device: "d", callClass: "stat", path: "/a", item: "", process: 1,
            executable: "x")
          record.id = number
          return record
        }
        return .init(records: records, isComplete: records.last?.id == 10, dropped: 0)
      }
    }
    #expect(try World(directory: fake.directory).records().map(\.id) == Array(1...10))
  }
}
