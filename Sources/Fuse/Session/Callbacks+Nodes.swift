internal import CFuse
internal import Glibc
internal import Platform

extension Callbacks {
  static func addNodes(to table: inout fuse_lowlevel_ops) {
    table.lookup = { request, parent, name in
      guard let request, let name else { return }
      RequestAnswer(request).serve(name) { operations, name, answer in
        operations.lookup(name, in: NodeID(rawValue: parent), reply: Reply(answer))
      }
    }
    table.forget = { request, node, count in
      guard let request else { return }
      Unmanaged<SessionCore>.fromOpaque(fuse_req_userdata(request))._withUnsafeGuaranteedRef {
        $0.operations.forget(NodeID(rawValue: node), count: count)
      }
      fuse_reply_none(request)
    }
    table.forget_multi = { request, count, batch in
      guard let request, let batch else { return }
      let forgotten = UnsafeBufferPointer(
        start: UnsafeRawPointer(batch).assumingMemoryBound(to: Forgotten.self), count: count)
      Unmanaged<SessionCore>.fromOpaque(fuse_req_userdata(request))._withUnsafeGuaranteedRef {
        $0.operations.forget(forgotten.span)
      }
      fuse_reply_none(request)
    }
    table.getattr = { request, node, file in
      guard let request else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.getattr(
          NodeID(rawValue: node), handle: file.map { HandleIdentifier($0) }, reply: Reply(answer))
      }
    }
    table.setattr = { request, node, values, set, file in
      guard let request, let values else { return }
      let changes = AttributeChanges(values.pointee, set: set)
      RequestAnswer(request).serve { operations, answer in
        operations.setattr(
          NodeID(rawValue: node), changes, handle: file.map { HandleIdentifier($0) },
          reply: Reply(answer))
      }
    }
    table.statfs = { request, node in
      guard let request else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.statfs(NodeID(rawValue: node), reply: Reply(answer))
      }
    }
  }

  static func addAccess(to table: inout fuse_lowlevel_ops) {
    table.access = { request, node, mask in
      guard let request else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.access(
          NodeID(rawValue: node), AccessMask(rawValue: mask), reply: Reply(answer))
      }
    }
  }
}

extension HandleIdentifier {
  /// The handle of an open file, as a request carries it.
  @inline(__always)
  init(_ file: UnsafeMutablePointer<fuse_file_info>) { self.init(rawValue: file.pointee.fh) }
}

extension OpenFlags {
  /// The flags of an open file, as a request carries them.
  @inline(__always)
  init(_ file: UnsafeMutablePointer<fuse_file_info>) { self.init(rawValue: file.pointee.flags) }
}

extension LockOwner {
  /// The owner of locks, as a request carries it.
  @inline(__always)
  init(_ file: UnsafeMutablePointer<fuse_file_info>) {
    self.init(rawValue: file.pointee.lock_owner)
  }
}
