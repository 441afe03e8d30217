import Octets

/// How a bug accounts for the bytes from some offset on.
struct Explanation {
  /// Index of the cause.
  let cause: Int
  /// Where the next frame begins.
  let end: Int
  /// What it has to assume, in bits: how many bits of the stream it leaves to chance.
  var cost: Int
  /// One frame alone shows too little: it has neither lengths nor a payload.
  var mustRecur = false
  /// The bytes are a frame; otherwise they lie between two frames.
  var isFrame = true
  /// Complete frames inside what it explains; they are shown unchanged.
  var completeFrames: [Range<Int>] = []
  /// What in the bytes supports it: a sentence.
  let evidence: String
  /// What to write instead, if the bytes determine it. The fix follows it: `write 00 3e as the payload length;`.
  var correction: String?
  /// What should have been written; nil if the bytes do not say.
  var repaired: [UInt8]?
}

extension Explanation {
  /// Both leave the same stream when they are repaired.
  func agrees(with other: Explanation, _ bytes: Span<UInt8>) -> Bool {
    if end == other.end { return repaired == other.repaired }
    guard end < other.end else { return other.agrees(with: self, bytes) }
    guard let repaired else { return false }
    return repaired + [UInt8](copying: bytes.extracting(end..<other.end)) == other.repaired
  }
}
