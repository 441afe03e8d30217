import Octets

/// How a bug accounts for the bytes from an offset on.
struct Explanation {
  /// The index of the cause.
  let cause: Int
  /// The offset at which the next frame begins.
  let end: Int
  /// The improbability of its assumptions, in bits.
  var cost: Int
  /// Whether one frame is not enough evidence, because it has neither lengths nor a payload.
  var mustRecur = false
  /// Whether the bytes are a frame; otherwise they are between two frames.
  var isFrame = true
  /// Complete frames inside the explained bytes, which are kept unchanged.
  var completeFrames: [Range<Int>] = []
  /// The evidence in the bytes, as a sentence.
  let evidence: String
  /// The bytes to write instead, if they are known. It precedes the fix: `write 00 3e as the payload length;`.
  var correction: String?
  /// The bytes that should have been written; nil if the bytes do not determine them.
  var repaired: [UInt8]?
}

extension Explanation {
  /// Whether both explanations lead to the same repaired stream.
  func agrees(with other: Explanation, _ bytes: Span<UInt8>) -> Bool {
    if end == other.end { return repaired == other.repaired }
    guard end < other.end else { return other.agrees(with: self, bytes) }
    guard let repaired else { return false }
    return repaired + [UInt8](copying: bytes.extracting(end..<other.end)) == other.repaired
  }
}
