// zlib, and the macro in it that Swift cannot call.
#ifndef APNSCOPE_CZLIB_SHIM_H
#define APNSCOPE_CZLIB_SHIM_H

#include <zlib.h>

// For gzip data: its header and checksum are read too.
static inline int inflate_init_gzip(z_streamp stream) { return inflateInit2(stream, 15 + 16); }

#endif
