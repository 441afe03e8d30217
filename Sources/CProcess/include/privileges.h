#pragma once
#include <stdbool.h>
#include <sys/types.h>

// In C, since Swift imports neither prctl nor syscall.

/// Drops all privileges for good: root becomes this user and group, and no capability is left (on Linux), whatever it came
/// from. Neither this process nor one that it starts can get any back. Only the calling thread and those that it starts
/// later lose capabilities, so call this before others exist. False with errno on failure.
bool privileges_drop(uid_t user, gid_t group);
