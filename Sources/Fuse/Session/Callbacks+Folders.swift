internal import CFuse
internal import Glibc
internal import Platform

extension Callbacks {
  static func addFolders(to table: inout fuse_lowlevel_ops) {
    table.opendir = { request, node, file in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.opendir(NodeID(rawValue: node), flags: OpenFlags(file), reply: Reply(answer))
      }
    }
    table.readdir = { request, node, size, position, file in
      guard let request, let file else { return }
      RequestAnswer(request, limit: UInt32(size)).serve { operations, answer in
        operations.readdir(
          NodeID(rawValue: node), from: UInt64(bitPattern: Int64(position)),
          handle: HandleIdentifier(file), reply: DirectoryReply(answer, wantsEntries: false))
      }
    }
    table.readdirplus = { request, node, size, position, file in
      guard let request, let file else { return }
      RequestAnswer(request, limit: UInt32(size)).serve { operations, answer in
        operations.readdir(
          NodeID(rawValue: node), from: UInt64(bitPattern: Int64(position)),
          handle: HandleIdentifier(file), reply: DirectoryReply(answer, wantsEntries: true))
      }
    }
    table.releasedir = { request, node, file in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.releasedir(
          NodeID(rawValue: node), handle: HandleIdentifier(file), flags: OpenFlags(file),
          reply: Reply(answer))
      }
    }
    table.fsyncdir = { request, node, dataOnly, file in
      guard let request, let file else { return }
      RequestAnswer(request).serve { operations, answer in
        operations.fsyncdir(
          NodeID(rawValue: node), handle: HandleIdentifier(file), dataOnly: dataOnly != 0,
          reply: Reply(answer))
      }
    }
  }
}
