public import Control
import Drive
import Fuse
import Platform
import Profiles

/// The version of this program.
public let programVersion = "0.1.0"

/// Serves a world in this process until its mount is gone.
public struct WorldServer {
  private let signals: TerminationSignals

  /// Prepares the process: to be called first in `main`, before any thread is started.
  public init() { signals = TerminationSignals() }

  /// Mounts, tells when that is done, and returns when the mount has ended by whatever means.
  ///
  /// - Parameter whenReady: called with the folder, and with what somebody should know about the device, once
  ///   the mount and the control socket answer; returns whether to go on.
  /// - Throws: why the world could not be mounted. Nothing is left mounted then.
  public func run(
    _ request: MountRequest, whenReady: (WorldLayout, [String]) -> Bool
  ) throws(WorldError) {
    let checks = try MountChecks(request)
    let layout =
      request.world.map { WorldLayout(directory: RealPath.resolveMissing($0)) }
      ?? WorldLayout.forMountpoint(checks.mountpoint)
    // Refuse before the folder is made, so that a mistake leaves nothing behind.
    let early = try WorldSettings.merged(try WorldSettings.load(layout), request, layout)
    try checks.checkNesting(cloud: early.cloud, world: layout.directory)
    let folder = try WorldFolder(layout)
    let (world, device, server) = try begin(request, in: folder, at: checks.mountpoint)
    signals.handle { _ in device.session.stop() }
    let notices = device.drive.notices
    if !whenReady(layout, notices) { device.session.stop() }
    for notice in notices { Output.log(notice) }
    device.session.waitUntilEnded()
    server.stop()
    world.close()
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
    let device: Device
    do throws(WorldError) {
      device = try Device(world, request, mountpoint: mountpoint)
    } catch {
      world.close()
      throw error
    }
    world.add(device)
    do throws(WorldError) {
      try settings.save(layout)
      return (world, device, try startControl(world))
    } catch {
      device.session.stop()
      world.close()
      throw error
    }
  }

  private func startControl(_ world: World) throws(WorldError) -> ControlServer {
    var methods = ControlMethods()
    methods.registerWorld(world)
    methods.registerNetwork(world)
    methods.registerClock(world)
    methods.registerItems(world)
    methods.registerCloud(world)
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
