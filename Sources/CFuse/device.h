#pragma once

// The device protocol beyond version 7.38, which <linux/fuse.h> of older systems lacks, and the two
// device controls of passthrough.

#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define CFUSE_FOPEN_PASSTHROUGH (1u << 7)
#define CFUSE_NOTIFY_RESEND 7

struct cfuse_backing_map {
  int32_t fd;
  uint32_t flags;
  uint64_t padding;
};

/// The INIT reply of protocol 7.40, of the same size as every one since 7.23.
struct cfuse_init_out {
  uint32_t major;
  uint32_t minor;
  uint32_t max_readahead;
  uint32_t flags;
  uint16_t max_background;
  uint16_t congestion_threshold;
  uint32_t max_write;
  uint32_t time_gran;
  uint16_t max_pages;
  uint16_t map_alignment;
  uint32_t flags2;
  uint32_t max_stack_depth;
  uint32_t unused[6];
};

/// FUSE_DEV_IOC_BACKING_OPEN: the backing identifier, or the negative errno.
static inline int32_t cfuse_backing_open(int device, int file) {
  struct cfuse_backing_map map = {.fd = file};
  int identifier = ioctl(device, _IOW(229, 1, struct cfuse_backing_map), &map);
  return identifier < 0 ? -errno : identifier;
}

/// FUSE_DEV_IOC_BACKING_CLOSE.
static inline void cfuse_backing_close(int device, uint32_t identifier) {
  ioctl(device, _IOW(229, 2, uint32_t), &identifier);
}

/// The fixed part of `struct fuse_dirent`, whose flexible array Swift does not import.
struct cfuse_dirent {
  uint64_t ino;
  uint64_t off;
  uint32_t namelen;
  uint32_t type;
};
