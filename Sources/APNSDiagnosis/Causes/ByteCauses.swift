/// One byte of the stream is missing or extra. Without this error, the frame is complete.
extension RootCause {
  package static let byteLost = RootCause(
    "byte-lost", "one byte is missing, or a length is one too large",
    why: "The rest of the stream is read from the wrong byte on.",
    fix:
      "check how bytes are written: a short write whose count is one too large, a read that consumes "
      + "the first byte to see if there is one. If the capture or dump was edited, capture again",
    source: "inferred from the bytes: with one more byte, or a length of one less, the frame is complete",
    .byte(isLost: true))

  package static let byteAdded = RootCause(
    "byte-added", "there is one byte too many, or a length is one too small",
    why: "The rest of the stream is read from the wrong byte on.",
    fix:
      "find the write that sends the byte: a leftover debugging write, a keep-alive byte, a "
      + "buffer that is written from one byte before its start",
    source: "inferred from the bytes: with one byte less, or a length of one more, the frame is complete",
    .byte(isLost: false))

  package static let bytesMissing = RootCause(
    "bytes-missing", "the end of a frame is missing",
    why: "The service reads the next frame as the end of this one.",
    fix:
      "send all bytes of a frame: look at what send returns, and send the rest; look for a lost buffer, and for two "
      + "streams in one",
    source: "inferred: a short write whose rest is never sent", .cut)

  package static let writersInterleaved = RootCause(
    "writers-interleaved", "two writers write to one connection at the same time",
    why: "Parts of one frame are inside another, and the service can read neither.",
    fix: "let only one writer use the connection, or hold a lock from a frame's first byte to its last",
    source: "inferred from the bytes: put back together from their pieces, the frames are complete", .interleaving)
}
