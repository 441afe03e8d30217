// The mutator as a shared object: libFuzzer and AFL++ load it, and call these functions by name.

/// libFuzzer: changes the input where it stands, and says how many bytes it has then.
@_cdecl("LLVMFuzzerCustomMutator")
public func libFuzzerMutate(
  _ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ maxSize: Int, _ seed: UInt32
) -> Int {
  guard let data = unsafe data, maxSize > 0 else { return 0 }
  let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: min(size, maxSize)))
  let mutated = FrameMutation.mutated(bytes, seed: UInt64(seed), most: maxSize)
  // The fuzzer lends room for maxSize bytes.
  for (index, byte) in mutated.enumerated() { unsafe data[index] = byte }
  return mutated.count
}

/// What AFL++ keeps between calls. The last answer lives until the next one is asked for.
@unsafe private struct AFLState {
  var seed: UInt64
  var answer: UnsafeMutableBufferPointer<UInt8>
}

@_cdecl("afl_custom_init")
public func aflInit(_ afl: UnsafeMutableRawPointer?, _ seed: UInt32) -> UnsafeMutableRawPointer? {
  let state = UnsafeMutablePointer<AFLState>.allocate(capacity: 1)
  unsafe state.initialize(to: AFLState(seed: UInt64(seed), answer: .allocate(capacity: 0)))
  return UnsafeMutableRawPointer(state)
}

/// Points `answer` to another input, made of `data`; the second input is not needed.
@_cdecl("afl_custom_fuzz")
public func aflFuzz(
  _ state: UnsafeMutableRawPointer?, _ data: UnsafeMutablePointer<UInt8>?, _ size: Int,
  _ answer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ other: UnsafeMutablePointer<UInt8>?,
  _ otherSize: Int,
  _ maxSize: Int
) -> Int {
  guard let state = unsafe state?.assumingMemoryBound(to: AFLState.self), let answer = unsafe answer, maxSize > 0
  else { return 0 }
  let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: data == nil ? 0 : size))
  unsafe state.pointee.seed &+= 1
  let mutated = unsafe FrameMutation.mutated(bytes, seed: state.pointee.seed, most: maxSize)
  if unsafe state.pointee.answer.count < mutated.count {
    unsafe state.pointee.answer.deallocate()
    unsafe state.pointee.answer = .allocate(capacity: mutated.count * 2)
  }
  for (index, byte) in mutated.enumerated() { unsafe state.pointee.answer[index] = byte }
  unsafe answer.pointee = state.pointee.answer.baseAddress
  return mutated.count
}

@_cdecl("afl_custom_deinit")
public func aflDeinit(_ state: UnsafeMutableRawPointer?) {
  guard let state = unsafe state?.assumingMemoryBound(to: AFLState.self) else { return }
  unsafe state.pointee.answer.deallocate()
  unsafe state.deinitialize(count: 1)
  unsafe state.deallocate()
}
