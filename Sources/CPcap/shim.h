// libpcap, and the one thing that Swift cannot give it: a FILE that serves bytes which were already read, and then
// the rest of a descriptor. Pipes cannot be rewound, so what was read to recognise a format must not be lost.
#ifndef APNSCOPE_CPCAP_SHIM_H
#define APNSCOPE_CPCAP_SHIM_H

#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct capture_source {
  int descriptor;
  size_t head_count;
  size_t head_used;
  // A signal ended a read, as Ctrl-C does. It counts as the end of the input.
  bool interrupted;
  // errno of a read that failed, else 0.
  int failure;
  // What the input begins with: libpcap does not tell the precision that a file has.
  unsigned char magic[4];
  size_t magic_count;
  unsigned char head[];
};

static inline ssize_t capture_source_read(void *cookie, char *buffer, size_t size) {
  struct capture_source *source = (struct capture_source *)cookie;
  size_t left = source->head_count - source->head_used;
  ssize_t count = 0;
  if (left > 0) {
    count = (ssize_t)(left < size ? left : size);
    memcpy(buffer, source->head + source->head_used, (size_t)count);
    source->head_used += (size_t)count;
  } else if (!source->interrupted) {
    count = read(source->descriptor, buffer, size);
    if (count < 0 && errno == EINTR) {
      source->interrupted = true;
      count = 0;
    } else if (count < 0) {
      source->failure = errno;
    }
  }
  for (ssize_t i = 0; i < count && source->magic_count < sizeof source->magic; i++)
    source->magic[source->magic_count++] = (unsigned char)buffer[i];
  return count;
}

// Closing frees the source and leaves the descriptor open: whoever opened it closes it.
static inline int capture_source_close(void *cookie) {
  free(cookie);
  return 0;
}

#ifndef __APPLE__
// The C library declares fopencookie only for _GNU_SOURCE, which would give this module other system types than the
// rest of a Swift program has. So it is declared here, under a name of its own.
struct capture_source_functions {
  ssize_t (*read)(void *, char *, size_t);
  ssize_t (*write)(void *, const char *, size_t);
  int (*seek)(void *, int64_t *, int);
  int (*close)(void *);
};
FILE *capture_source_fopencookie(void *, const char *, struct capture_source_functions) __asm__("fopencookie");
#else
static inline int capture_source_read_int(void *cookie, char *buffer, int size) {
  return (int)capture_source_read(cookie, buffer, (size_t)size);
}
#endif

// Whether a read would find bytes, or the end, at once.
static inline int capture_source_is_ready(int descriptor) {
  struct pollfd request = {.fd = descriptor, .events = POLLIN};
  return poll(&request, 1, 0) != 0;
}

// NULL when there is no memory. The source lives as long as the FILE, which fclose ends.
static inline FILE *capture_source_open(
    int descriptor, const unsigned char *head, size_t head_count, struct capture_source **source) {
  struct capture_source *made = (struct capture_source *)calloc(1, sizeof(struct capture_source) + head_count);
  if (made == NULL) return NULL;
  made->descriptor = descriptor;
  made->head_count = head_count;
  if (head_count > 0) memcpy(made->head, head, head_count);
#ifdef __APPLE__
  FILE *file = funopen(made, capture_source_read_int, NULL, NULL, capture_source_close);
#else
  struct capture_source_functions functions = {capture_source_read, NULL, NULL, capture_source_close};
  FILE *file = capture_source_fopencookie(made, "rb", functions);
#endif
  if (file == NULL) {
    free(made);
    return NULL;
  }
  setvbuf(file, NULL, _IOFBF, 1 << 16);
  *source = made;
  return file;
}

#endif
