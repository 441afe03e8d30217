// libpcap, and the one thing that Swift cannot give it: a FILE whose bytes a function of ours serves.
#ifndef APNSCOPE_CPCAP_SHIM_H
#define APNSCOPE_CPCAP_SHIM_H

#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

// How many bytes were put into the buffer, 0 at the end, -1 on failure.
typedef ssize_t (*served_read)(void *context, char *buffer, size_t size);

#ifndef __APPLE__
// The C library declares fopencookie only for _GNU_SOURCE, which would give this module other system types than the
// rest of a Swift program has. So it is declared here, under a name of its own.
struct served_functions {
  served_read read;
  ssize_t (*write)(void *, const char *, size_t);
  int (*seek)(void *, int64_t *, int);
  int (*close)(void *);
};
FILE *served_fopencookie(void *, const char *, struct served_functions) __asm__("fopencookie");

// NULL when there is no memory. The context has to live as long as the FILE.
static inline FILE *served_file(void *context, served_read read) {
  struct served_functions functions = {read, NULL, NULL, NULL};
  FILE *file = served_fopencookie(context, "rb", functions);
  if (file != NULL) setvbuf(file, NULL, _IOFBF, 1 << 16);
  return file;
}
#else
struct served_context {
  void *context;
  served_read read;
};

static inline int served_read_int(void *cookie, char *buffer, int size) {
  struct served_context *served = (struct served_context *)cookie;
  return (int)served->read(served->context, buffer, (size_t)size);
}

static inline int served_close(void *cookie) {
  free(cookie);
  return 0;
}

static inline FILE *served_file(void *context, served_read read) {
  struct served_context *served = (struct served_context *)malloc(sizeof(struct served_context));
  if (served == NULL) return NULL;
  *served = (struct served_context){context, read};
  FILE *file = funopen(served, served_read_int, NULL, NULL, served_close);
  if (file == NULL) free(served);
  else setvbuf(file, NULL, _IOFBF, 1 << 16);
  return file;
}
#endif

#endif
