internal import CFuse
internal import Glibc
internal import Platform

extension Callbacks {
  static func addIoctl(to table: inout fuse_lowlevel_ops) {
    table.ioctl = { request, node, command, argument, file, _, input, inputSize, outputSize in
      guard let request, let file else { return }
      let input = UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : inputSize)
      RequestAnswer(request, limit: UInt32(outputSize)).serve { operations, answer in
        operations.ioctl(
          NodeID(rawValue: node), handle: HandleIdentifier(file), command: command,
          argument: UInt64(UInt(bitPattern: argument)), input: input.bytes, reply: Reply(answer))
      }
    }
  }

  static func addExtendedAttributes(to table: inout fuse_lowlevel_ops) {
    table.setxattr = { request, node, name, value, size, flags in
      guard let request, let name else { return }
      let value = UnsafeRawBufferPointer(start: value, count: size)
      RequestAnswer(request).serve(name) { operations, name, answer in
        operations.setxattr(
          NodeID(rawValue: node), name, value: value.bytes,
          flags: ExtendedAttributeFlags(rawValue: flags), reply: Reply(answer))
      }
    }
    table.getxattr = { request, node, name, size in
      guard let request, let name else { return }
      RequestAnswer(request, limit: UInt32(size)).serve(name) { operations, name, answer in
        operations.getxattr(NodeID(rawValue: node), name, reply: Reply(answer))
      }
    }
    table.listxattr = { request, node, size in
      guard let request else { return }
      RequestAnswer(request, limit: UInt32(size)).serve { operations, answer in
        operations.listxattr(NodeID(rawValue: node), reply: Reply(answer))
      }
    }
    table.removexattr = { request, node, name in
      guard let request, let name else { return }
      RequestAnswer(request).serve(name) { operations, name, answer in
        operations.removexattr(NodeID(rawValue: node), name, reply: Reply(answer))
      }
    }
  }

  static func addRecordLocks(to table: inout fuse_lowlevel_ops) {
    table.getlk = { request, node, file, lock in
      guard let request, let file, let lock else { return }
      RequestAnswer(request).serve { operations, answer in
        guard let lock = FileLock(lock.pointee) else {
          answer.fail(.invalid)
          return
        }
        operations.getlk(
          NodeID(rawValue: node), handle: HandleIdentifier(file), owner: LockOwner(file), lock,
          reply: Reply(answer))
      }
    }
    table.setlk = { request, node, file, lock, waits in
      guard let request, let file, let lock else { return }
      RequestAnswer(request).serve { operations, answer in
        guard let lock = FileLock(lock.pointee) else {
          answer.fail(.invalid)
          return
        }
        operations.setlk(
          NodeID(rawValue: node), handle: HandleIdentifier(file), owner: LockOwner(file), lock,
          waits: waits != 0, reply: Reply(answer))
      }
    }
  }

  static func addWholeFileLocks(to table: inout fuse_lowlevel_ops) {
    table.flock = { request, node, file, lock in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.flock(
          NodeID(rawValue: node), handle: HandleIdentifier(file), owner: LockOwner(file),
          WholeFileLock(rawValue: lock), reply: Reply(answer))
      }
    }
  }
}
