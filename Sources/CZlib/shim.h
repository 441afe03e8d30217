// zlib, and the macro in it that Swift cannot call.
#ifndef APNSCOPE_CZLIB_SHIM_H
#define APNSCOPE_CZLIB_SHIM_H

#include <zlib.h>

// 15 for zlib data, -15 for raw deflate; 15 + 16 for gzip data, whose header and checksum are read too.
static inline int inflate_init(z_streamp stream, int window_bits) { return inflateInit2(stream, window_bits); }

#endif
