internal import CFuse
internal import Glibc
internal import Platform

extension Callbacks {
  static func addNames(to table: inout fuse_lowlevel_ops) {
    addMakers(to: &table)
    addRemovers(to: &table)
    table.readlink = { request, node in
      guard let request else { return }
      RequestAnswer(request, limit: UInt32(PATH_MAX)).serve { operations, answer in
        operations.readlink(NodeID(rawValue: node), reply: Reply(answer))
      }
    }
    table.rename = { request, parent, name, newParent, newName, flags in
      guard let request, let name, let newName else { return }
      let new = UnsafeBufferPointer(
        start: UnsafeRawPointer(newName).assumingMemoryBound(to: UInt8.self),
        count: strlen(newName))
      RequestAnswer(request).serve(name) { operations, name, answer in
        if let error = RequestAnswer.flaw(of: new) {
          answer.fail(error)
          return
        }
        operations.rename(
          name, in: NodeID(rawValue: parent), to: new.span, in: NodeID(rawValue: newParent),
          flags: RenameFlags(rawValue: flags), reply: Reply(answer))
      }
    }
    table.link = { request, node, newParent, newName in
      guard let request, let newName else { return }
      RequestAnswer(request).serve(newName) { operations, newName, answer in
        operations.link(
          NodeID(rawValue: node), to: newName, in: NodeID(rawValue: newParent),
          reply: Reply(answer))
      }
    }
  }

  private static func addMakers(to table: inout fuse_lowlevel_ops) {
    table.symlink = { request, target, parent, name in
      guard let request, let target, let name else { return }
      let bytes = UnsafeBufferPointer(
        start: UnsafeRawPointer(target).assumingMemoryBound(to: UInt8.self), count: strlen(target))
      RequestAnswer(request).serve(name) { operations, name, answer in
        operations.symlink(
          name, in: NodeID(rawValue: parent), target: bytes.span, reply: Reply(answer))
      }
    }
    table.mknod = { request, parent, name, mode, device in
      guard let request, let name else { return }
      RequestAnswer(request).serve(name) { operations, name, answer in
        operations.mknod(
          name, in: NodeID(rawValue: parent), mode: mode,
          device: UInt32(truncatingIfNeeded: device), reply: Reply(answer))
      }
    }
    table.mkdir = { request, parent, name, mode in
      guard let request, let name else { return }
      RequestAnswer(request).serve(name) { operations, name, answer in
        operations.mkdir(name, in: NodeID(rawValue: parent), mode: mode, reply: Reply(answer))
      }
    }
  }

  private static func addRemovers(to table: inout fuse_lowlevel_ops) {
    table.unlink = { request, parent, name in
      guard let request, let name else { return }
      RequestAnswer(request).serve(name) { operations, name, answer in
        operations.unlink(name, in: NodeID(rawValue: parent), reply: Reply(answer))
      }
    }
    table.rmdir = { request, parent, name in
      guard let request, let name else { return }
      RequestAnswer(request).serve(name) { operations, name, answer in
        operations.rmdir(name, in: NodeID(rawValue: parent), reply: Reply(answer))
      }
    }
  }
}
