public import Control
import Drive
import Fuse
import Platform
import Profiles

/// The version of this program.
public let programVersion = "0.1.0"

/// Serves a world in this process until none of its devices is mounted.
public struct WorldServer {
  private let signals: TerminationSignals

  /// Prepares the process: to be called first in `main`, before any thread is started.
  public init() { signals = TerminationSignals() }

  /// Mounts, tells when that is done, and returns when the last mount has ended by whatever means.
  ///
  /// - Parameter whenReady: called with the folder, and with what somebody should know about the device, once
  ///   the mount and the control socket answer; returns whether to go on.
  /// - Throws: why the world could not be mounted. Nothing is left mounted then.
  public func run(
    _ request: MountRequest, whenReady: (WorldLayout, [String]) -> Bool
  ) throws(WorldError) {
    let checks = try MountChecks(request)
    let layout = Self.layout(of: request)
    // Refuse before the folder is made, so that a mistake leaves nothing behind.
    let early = try WorldSettings.merged(try WorldSettings.load(layout), request, layout)
    try checks.checkNesting(cloud: early.cloud, world: layout.directory)
    let folder = try WorldFolder(layout)
    let (world, device, server) = try begin(request, in: folder, at: checks.mountpoint)
    signals.handle { _ in world.stop() }
    let notices = device.drive.notices
    if !whenReady(layout, notices) { world.stop() }
    for notice in notices { Output.log(notice) }
    world.waitUntilEnded()
    server.stop()
    world.close()
  }

  /// Where the world lies that a request is about.
  public static func layout(of request: MountRequest) -> WorldLayout {
    if let world = request.world { return WorldLayout(directory: RealPath.resolveMissing(world)) }
    return WorldLayout.forMountpoint(RealPath.resolveMissing(request.mountpoint))
  }

  private func begin(
    _ request: MountRequest, in folder: WorldFolder, at mountpoint: String
  ) throws(WorldError) -> (World, Device, ControlServer) {
    do throws(WorldError) {
      return try serve(request, in: folder, at: mountpoint)
    } catch {
      // Only a world that works is kept.
      folder.abandon()
      throw error
    }
  }

  private func serve(
    _ request: MountRequest, in folder: WorldFolder, at mountpoint: String
  ) throws(WorldError) -> (World, Device, ControlServer) {
    let layout = folder.layout
    let settings = try WorldSettings.merged(try WorldSettings.load(layout), request, layout)
    let world = try World(folder, settings)
    do throws(WorldError) {
      let device = try world.mount(request, at: mountpoint)
      return (world, device, try startControl(world))
    } catch {
      world.stop()
      world.waitUntilEnded()
      world.close()
      throw error
    }
  }

  private func startControl(_ world: World) throws(WorldError) -> ControlServer {
    var methods = ControlMethods()
    methods.registerWorld(world)
    methods.registerDevices(world)
    methods.registerNetwork(world)
    methods.registerClock(world)
    methods.registerItems(world)
    methods.registerCloud(world)
    methods.registerCloudEdits(world)
    methods.registerGates(world)
    methods.registerLedger(world)
    methods.registerGrants(world)
    let server = ControlServer(
      path: world.folder.layout.controlSocket, workers: world.workers, methods: methods)
    do throws(ControlError) {
      try server.start()
      return server
    } catch {
      throw WorldError(.cannotCreate, error.description)
    }
  }
}
