import APNSWire
import Octets

/// Hints for bytes that no known bug explains: what is unusual about them, and what to check.
func symptoms(of frame: FrameRef, _ range: Range<Int>, _ bytes: Span<UInt8>) -> [String] {
  let near = bytes.extracting(range.prefix(256))
  var found: [String] = []
  let replaced = (0..<max(0, near.count - 2)).count { near.number(at: $0, width: 3) == 0xef_bfbd }
  if replaced > 2 {
    found.append(
      "the next \(near.count) bytes have U+FFFD (ef bf bd) \(replaced) times: look for a string that bytes were read "
        + "into as UTF-8")
  }
  let head = near.extracting((0..<near.count).prefix(40))
  if frame.isFrame, head.count > 3, head.indices.allSatisfy({ head[$0] != 0 }) {
    found.append(
      "the next \(head.count) bytes have no zero byte (NUL), and each frame has some: look for strlen, which ends "
        + "before the first, and for strings that drop them")
  }
  return found
}
