internal import CFuse
internal import Glibc
internal import Platform

extension Callbacks {
  static func addFiles(to table: inout fuse_lowlevel_ops) {
    table.open = { request, node, file in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.open(NodeID(rawValue: node), flags: OpenFlags(file), reply: Reply(answer))
      }
    }
    table.read = { request, node, size, offset, file in
      guard let request, let file else { return }
      // Only a direct read(2) names its owner (FUSE_READ_LOCKOWNER).
      let isPage = file.pointee.lock_owner == 0
      RequestAnswer(request, limit: UInt32(size), fillsPageCache: isPage).serve {
        operations, answer in
        operations.read(
          NodeID(rawValue: node), at: Int64(offset), handle: HandleIdentifier(file),
          flags: OpenFlags(file), reply: Reply(answer))
      }
    }
    table.write = { request, node, bytes, size, offset, file in
      guard let request, let bytes, let file else { return }
      let content = UnsafeRawBufferPointer(start: bytes, count: size)
      RequestAnswer(request).serve { operations, answer in
        operations.write(
          content.bytes, to: NodeID(rawValue: node), at: Int64(offset),
          handle: HandleIdentifier(file), flags: OpenFlags(file), reply: Reply(answer))
      }
    }
    table.release = { request, node, file in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.release(
          NodeID(rawValue: node), handle: HandleIdentifier(file), flags: OpenFlags(file),
          owner: LockOwner(file), reply: Reply(answer))
      }
    }
    table.fsync = { request, node, dataOnly, file in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.fsync(
          NodeID(rawValue: node), handle: HandleIdentifier(file), dataOnly: dataOnly != 0,
          reply: Reply(answer))
      }
    }
  }

  static func addCreate(to table: inout fuse_lowlevel_ops) {
    table.create = { request, parent, name, mode, file in
      guard let request, let name, let file else { return }
      RequestAnswer(request).serve(name) { operations, name, answer in
        operations.create(
          name, in: NodeID(rawValue: parent), mode: mode, flags: OpenFlags(file),
          reply: Reply(answer))
      }
    }
  }

  static func addFlush(to table: inout fuse_lowlevel_ops) {
    table.flush = { request, node, file in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.flush(
          NodeID(rawValue: node), handle: HandleIdentifier(file), owner: LockOwner(file),
          reply: Reply(answer))
      }
    }
  }

  static func addFallocate(to table: inout fuse_lowlevel_ops) {
    table.fallocate = { request, node, mode, offset, length, file in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        guard offset >= 0, length >= 0, !offset.addingReportingOverflow(length).overflow else {
          answer.fail(.invalid)
          return
        }
        operations.fallocate(
          NodeID(rawValue: node), handle: HandleIdentifier(file), mode: mode,
          ByteRange(offset: Int64(offset), count: Int64(length)), reply: Reply(answer))
      }
    }
  }

  static func addSeek(to table: inout fuse_lowlevel_ops) {
    table.lseek = { request, node, offset, whence, file in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        guard let target = SeekTarget(rawValue: whence) else {
          answer.fail(.invalid)
          return
        }
        operations.lseek(
          NodeID(rawValue: node), handle: HandleIdentifier(file), from: Int64(offset), target,
          reply: Reply(answer))
      }
    }
  }

  static func addCopy(to table: inout fuse_lowlevel_ops) {
    table.copy_file_range = {
      request, source, sourceOffset, sourceFile, target, targetOffset, targetFile, count, _ in
      guard let request, let sourceFile, let targetFile else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.copyFileRange(
          from: (NodeID(rawValue: source), HandleIdentifier(sourceFile), Int64(sourceOffset)),
          to: (NodeID(rawValue: target), HandleIdentifier(targetFile), Int64(targetOffset)),
          count: UInt64(count), reply: Reply(answer))
      }
    }
  }
}
