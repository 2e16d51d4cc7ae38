#pragma once

// The thread that reads requests.
//
// It is C because it is ended by pthread_cancel: a thread that waits in read(2) for a request has no
// other way to be told, when the connection outlives the mount (a program still has a file open) and
// nobody may abort it. It can be cancelled nowhere but in that read, where no Swift frame is on its
// stack.

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

struct cfuse_reader {
  int device;
  void *_Nonnull buffer;
  size_t size;
  char name[16];
  void *_Nonnull context;
  /// Handles one request of `count` bytes; false ends the thread.
  bool (*_Nonnull handle)(void *_Nonnull context, void *_Nonnull buffer, size_t count);
  /// Called last, also when the thread is cancelled; `error` is the errno that ended the reading,
  /// or 0.
  void (*_Nonnull ended)(void *_Nonnull context, int error);
  int error;
  /// Where threads cannot be cancelled (the thread sanitizer does not survive it): a mutex under which
  /// they wait in turn, and a descriptor that becomes readable when they shall end. NULL otherwise.
  pthread_mutex_t *_Nullable turns;
  int stop;
};

static inline ssize_t cfuse_reader_read(struct cfuse_reader *_Nonnull reader) {
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  ssize_t count = read(reader->device, reader->buffer, reader->size);
  int error = errno;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  errno = error;
  return count;
}

static inline ssize_t cfuse_reader_read_politely(struct cfuse_reader *_Nonnull reader) {
  struct pollfd sources[2] = {
      {.fd = reader->device, .events = POLLIN},
      {.fd = reader->stop, .events = POLLIN},
  };
  pthread_mutex_lock(reader->turns);
  poll(sources, 2, -1);
  ssize_t count = sources[1].revents ? 0 : read(reader->device, reader->buffer, reader->size);
  int error = errno;
  pthread_mutex_unlock(reader->turns);
  errno = error;
  return count;
}

static inline void cfuse_reader_end(void *_Nonnull raw) {
  struct cfuse_reader *reader = (struct cfuse_reader *)raw;
  reader->ended(reader->context, reader->error);
}

static inline void *_Nullable cfuse_reader_main(void *_Nonnull raw) {
  struct cfuse_reader *reader = (struct cfuse_reader *)raw;
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  prctl(PR_SET_NAME, reader->name);
  pthread_cleanup_push(cfuse_reader_end, reader);
  for (;;) {
    ssize_t count = reader->turns ? cfuse_reader_read_politely(reader)
                                  : cfuse_reader_read(reader);
    int error = errno;
    if (count > 0) {
      if (!reader->handle(reader->context, reader->buffer, (size_t)count)) break;
    } else if (count == 0) {
      reader->error = ENODEV;
      break;
    } else if (error != EINTR && error != EAGAIN && error != ENOENT) {
      // ENOENT: the request was interrupted before it was read.
      reader->error = error;
      break;
    }
  }
  pthread_cleanup_pop(1);
  return NULL;
}

/// Starts the thread; `reader` must live until it is joined. Returns 0 or an error number.
static inline int cfuse_reader_start(
    struct cfuse_reader *_Nonnull reader, pthread_t *_Nonnull thread) {
  return pthread_create(thread, NULL, cfuse_reader_main, reader);
}
