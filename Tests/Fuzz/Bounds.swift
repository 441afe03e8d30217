import Foundation

/// No input may take more than a second of the processor, nor more memory than 16 times its size and 64 MiB, which only
/// the sanitizer can measure.
enum Bounds {
  static func check(_ size: Int, _ body: () -> Void) {
    let before = Memory.start()
    let start = processorTime()
    body()
    let seconds = processorTime() - start
    // The address sanitizer makes all of it about three times as slow.
    if seconds > 3 { fatalError("\(seconds) s for \(size) bytes") }
    if Memory.peak - before > 16 * size + 64 << 20 {
      fatalError("\(Memory.peak - before) bytes of memory for \(size) bytes")
    }
  }

  private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}

/// What is allocated, in bytes. One thread allocates.
private enum Memory {
  nonisolated(unsafe) private static var live = 0
  nonisolated(unsafe) private(set) static var peak = 0

  /// Begins to look for a new peak, and returns what is allocated now.
  static func start() -> Int {
    _ = isWatching
    peak = live
    return live
  }

  #if FUZZING
    // The hooks of the sanitizer see each block.
    private static let isWatching =
      installHooks(
        { _, size in
          live += size
          if live > peak { peak = live }
        }, { block in if let block { live -= allocatedSize(block) } }) > 0
  #else
    private static let isWatching = false
  #endif
}

#if FUZZING
  @_silgen_name("__sanitizer_install_malloc_and_free_hooks")
  private func installHooks(
    _ allocated: @convention(c) (UnsafeRawPointer?, Int) -> Void, _ freed: @convention(c) (UnsafeRawPointer?) -> Void
  ) -> CInt

  @_silgen_name("__sanitizer_get_allocated_size")
  private func allocatedSize(_ block: UnsafeRawPointer) -> Int
#endif
