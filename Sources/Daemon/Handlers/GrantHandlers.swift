import Control
import Drive
import Platform

/// The methods `grant.*`.
extension ControlMethods {
  mutating func registerGrants(_ world: World) {
    register(GrantAdd.self) { params, _ throws(ControlError) in
      let drive = try world.drive(params.device)
      guard world.settings.isScoped else {
        throw ControlError(
          .unsupported, "this world is not scoped: every process may touch everything",
          remedy: "mount with --scoped to need grants")
      }
      let inode: InodeNumber
      do throws(DriveError) {
        inode = try await drive.findOrFetch(params.path)
      } catch {
        throw ControlError(error)
      }
      do throws(Errno) {
        let grant = try drive.grants.add(
          process: params.process, includingDescendants: params.includesDescendants, inode)
        return GrantAdd.Result(grant: grant)
      } catch {
        throw ControlError(.notFound, "there is no process \(params.process)", errno: error)
      }
    }
    register(GrantRemove.self) { params, _ throws(ControlError) in
      for device in world.devices where device.drive.grants.remove(params.grant) {
        return Nothing()
      }
      throw ControlError(.notFound, "there is no grant \(params.grant)")
    }
    register(GrantList.self) { params, _ throws(ControlError) in
      let devices = try params.device.map { name throws(ControlError) in
        guard let device = world.device(named: name) else {
          throw ControlError(.notFound, "there is no device '\(name)' in this world")
        }
        return [device]
      }
      return GrantList.Result(grants: (devices ?? world.devices).flatMap(\.grantInfos))
    }
  }
}

extension Device {
  fileprivate var grantInfos: [GrantInfo] {
    drive.grants.all.map { grant in
      GrantInfo(
        grant: grant.number, process: grant.program.process,
        includesDescendants: grant.includesDescendants,
        path: drive.status(of: grant.inode)?.path ?? "", device: name)
    }
  }
}
