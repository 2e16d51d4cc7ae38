#pragma once

// What glibc declares only with _GNU_SOURCE, which Swift's Glibc module does not set.

/// The C name of an error number, or NULL; as strerrorname_np(3).
const char *_Nullable platform_errno_name(int number);

/// Names the calling thread; the kernel takes at most 15 bytes.
void platform_name_thread(const char *_Nonnull name);
