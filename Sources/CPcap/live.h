// Waiting for packets, so that a signal or silence ends the wait.
#ifndef APNSCOPE_CPCAP_LIVE_H
#define APNSCOPE_CPCAP_LIVE_H

#include <pcap/pcap.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>

// Until packets may be there, a signal came, or the time is over. Some interfaces cannot be waited on: there it is the
// time alone.
static inline void capture_wait(pcap_t *capture, int milliseconds) {
  struct pollfd request = {.fd = pcap_get_selectable_fd(capture), .events = POLLIN};
  if (request.fd < 0)
    poll(NULL, 0, 10);
  else
    poll(&request, 1, milliseconds);
}

// Since 1970-01-01 00:00:00 UTC.
static inline int64_t now_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
