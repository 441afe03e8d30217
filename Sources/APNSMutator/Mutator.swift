// The mutator as a shared library for libFuzzer, which calls this function by name.

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
