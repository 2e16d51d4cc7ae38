#define _GNU_SOURCE
#include "CPlatform.h"

#include <pthread.h>
#include <string.h>

const char *platform_errno_name(int number) { return strerrorname_np(number); }

void platform_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
