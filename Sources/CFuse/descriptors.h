#pragma once

// System calls on descriptors that Swift's Glibc module does not offer.

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/// An eventfd(2) that starts at 0 and is closed by exec.
static inline int cfuse_eventfd(void) { return eventfd(0, EFD_CLOEXEC); }

/// Two connected sockets that exec closes; returns 0, or -1 with errno set.
///
/// A message socket keeps the borders of what is written, as the FUSE device does.
static inline int cfuse_socket_pair(bool keeps_messages, int *_Nonnull ends) {
  int type = keeps_messages ? SOCK_SEQPACKET : SOCK_STREAM;
  return socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends);
}

/// Lets `descriptor` refer to what `other` does, closed by exec; as dup3(2).
static inline void cfuse_replace_descriptor(int descriptor, int other) {
  // dup2 with the flag set afterwards: dup3 needs _GNU_SOURCE.
  if (dup2(other, descriptor) >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/// Receives one descriptor over a socket, as fusermount3 sends it; -1 when none came.
static inline int cfuse_receive_descriptor(int socket) {
  char byte;
  struct iovec part = {.iov_base = &byte, .iov_len = 1};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &part,
      .msg_iovlen = 1,
      .msg_control = &control,
      .msg_controllen = sizeof control,
  };
  ssize_t count;
  do {
    count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (count == -1 && errno == EINTR);
  if (count != 1) return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor;
  memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}
