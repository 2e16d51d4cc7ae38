#pragma once

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#include <linux/fuse.h>

#include "descriptors.h"
#include "device.h"
#include "reader.h"
