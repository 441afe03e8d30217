// libpcap, and what Swift does not see of the C library.
#ifndef APNSCOPE_CPCAP_SHIM_H
#define APNSCOPE_CPCAP_SHIM_H

#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

// The error of the last call, which is a macro that Swift does not see.
static inline int last_error(void) { return errno; }

// -1 for what has no size of its own, such as a pipe.
static inline int64_t file_size(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? (int64_t)status.st_size : -1;
}

#endif
