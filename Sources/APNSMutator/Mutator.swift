// The mutator as a shared library for libFuzzer and AFL++, which call these functions by name.

import APNSCraft

/// libFuzzer's entry point: changes the input in place and returns its new size in bytes.
@_cdecl("LLVMFuzzerCustomMutator")
package func libFuzzerMutate(
  _ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ maxSize: Int, _ seed: UInt32
) -> Int {
  guard let data = unsafe data, maxSize > 0 else { return 0 }
  let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: min(size, maxSize)))
  let mutated = FrameMutation.standard.mutated(bytes, seed: UInt64(seed), limit: maxSize)
  // The buffer has room for maxSize bytes.
  for (index, byte) in mutated.enumerated() { unsafe data[index] = byte }
  return mutated.count
}

/// The state that AFL++ keeps between calls. The latest result is valid until the next call.
@unsafe private struct AFLState {
  var seed: UInt64
  var output: UnsafeMutableBufferPointer<UInt8>
}

/// AFL++'s entry point: allocates the state.
@_cdecl("afl_custom_init")
package func aflInit(_ afl: UnsafeMutableRawPointer?, _ seed: UInt32) -> UnsafeMutableRawPointer? {
  let state = UnsafeMutablePointer<AFLState>.allocate(capacity: 1)
  unsafe state.initialize(to: AFLState(seed: UInt64(seed), output: .allocate(capacity: 0)))
  return UnsafeMutableRawPointer(state)
}

/// AFL++'s entry point: points `output` to a changed copy of `data`, and returns its size in bytes. The second input is
/// not used.
@_cdecl("afl_custom_fuzz")
package func aflFuzz(
  _ state: UnsafeMutableRawPointer?, _ data: UnsafeMutablePointer<UInt8>?, _ size: Int,
  _ output: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ other: UnsafeMutablePointer<UInt8>?,
  _ otherSize: Int,
  _ maxSize: Int
) -> Int {
  guard let state = unsafe state?.assumingMemoryBound(to: AFLState.self), let output = unsafe output, maxSize > 0
  else { return 0 }
  let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: data == nil ? 0 : size))
  unsafe state.pointee.seed &+= 1
  let mutated = unsafe FrameMutation.standard.mutated(bytes, seed: state.pointee.seed, limit: maxSize)
  if unsafe state.pointee.output.count < mutated.count {
    unsafe state.pointee.output.deallocate()
    unsafe state.pointee.output = .allocate(capacity: mutated.count * 2)
  }
  for (index, byte) in mutated.enumerated() { unsafe state.pointee.output[index] = byte }
  unsafe output.pointee = state.pointee.output.baseAddress
  return mutated.count
}

/// AFL++'s entry point: frees the state.
@_cdecl("afl_custom_deinit")
package func aflDeinit(_ state: UnsafeMutableRawPointer?) {
  guard let state = unsafe state?.assumingMemoryBound(to: AFLState.self) else { return }
  unsafe state.pointee.output.deallocate()
  unsafe state.deinitialize(count: 1)
  unsafe state.deallocate()
}
