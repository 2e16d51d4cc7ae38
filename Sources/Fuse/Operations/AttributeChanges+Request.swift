internal import CFuse
internal import Glibc
internal import Platform

extension AttributeChanges {
  @inline(__always)
  init(_ values: stat, set: CInt) {
    if set & FUSE_SET_ATTR_MODE != 0 { mode = values.st_mode & 0o7777 }
    if set & FUSE_SET_ATTR_UID != 0 { user = values.st_uid }
    if set & FUSE_SET_ATTR_GID != 0 { group = values.st_gid }
    if set & FUSE_SET_ATTR_SIZE != 0 { size = Int64(values.st_size) }
    if set & FUSE_SET_ATTR_ATIME_NOW != 0 {
      accessTime = .now
    } else if set & FUSE_SET_ATTR_ATIME != 0 {
      accessTime = .at(Timestamp(values.st_atim))
    }
    if set & FUSE_SET_ATTR_MTIME_NOW != 0 {
      modificationTime = .now
    } else if set & FUSE_SET_ATTR_MTIME != 0 {
      modificationTime = .at(Timestamp(values.st_mtim))
    }
    if set & FUSE_SET_ATTR_CTIME != 0 { changeTime = Timestamp(values.st_ctim) }
  }
}
