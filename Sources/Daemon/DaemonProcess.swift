import Control
import Foundation
import Glibc
public import Platform

/// What the process that serves a world tells the one that started it.
public struct StartReport: Codable, Hashable, Sendable {
  /// Why it could not be mounted; nil when it is.
  public var error: WorldError?
  /// What somebody should know about the device, each in a sentence.
  public var notices: [String]

  /// The report of a start.
  public init(error: WorldError?, notices: [String] = []) {
    self.error = error
    self.notices = notices
  }
}

/// Both ends of a mount that goes on in the background.
public enum DaemonProcess {
  /// The word that makes this program the serving process.
  public static let word = "serve-world"

  /// The request and the report, as they travel through pipes.
  public static func encode(_ request: MountRequest) -> [UInt8] {
    Array((try? JSONEncoder().encode(request)) ?? Data())
  }

  /// Reads a report; one that cannot be read means that the process has died.
  public static func report(from bytes: [UInt8]) -> StartReport {
    if let report = try? JSONDecoder().decode(StartReport.self, from: Data(bytes)) { return report }
    let error = WorldError(.failure, "the serving process ended before the drive was mounted")
    return StartReport(error: error)
  }

  /// Runs the serving process: reads the request from standard input, reports on standard output, and
  /// returns when the mount has ended.
  public static func serve() -> ExitCode {
    // First of all: the threads that follow inherit the blocked signals.
    let server = WorldServer()
    signal(SIGPIPE, SIG_IGN)
    let input = FileHandle.standardInput.readDataToEndOfFile()
    guard let request = try? JSONDecoder().decode(MountRequest.self, from: input) else {
      tell(StartReport(error: WorldError(.protocolError, "the mount request cannot be read")))
      return .protocolError
    }
    do throws(WorldError) {
      try server.run(request) { layout, notices in
        // Whoever asked may have been interrupted meanwhile, and then nobody wants the mount.
        guard tell(StartReport(error: nil, notices: notices)) else { return false }
        Output.redirect(to: layout.log)
        return true
      }
      return .success
    } catch {
      tell(StartReport(error: error))
      return error.exitCode
    }
  }

  /// Reports; returns whether somebody was there to be told.
  @discardableResult
  private static func tell(_ report: StartReport) -> Bool {
    let data = (try? JSONEncoder().encode(report)) ?? Data()
    return (try? FileHandle.standardOutput.write(contentsOf: data)) != nil
  }
}
