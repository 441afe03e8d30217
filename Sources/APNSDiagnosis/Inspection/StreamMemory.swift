/// What rules remember of a stream from one frame to the next. Small, since there may be many thousand streams.
struct StreamMemory {
}
