/// From offsets of one stream back to packets, or to lines and columns. Keeps only what is still asked for.
public struct Provenance: Sendable {
  private var packets: [(start: Int, packet: Origin.Packet)] = []
  private var positions: [Origin.TextPosition] = []
  private var firstPosition = 0

  public init() {}

  /// `count` bytes from `offset` on came from `origin`.
  public mutating func note(_ origin: Origin, at offset: Int, count: Int) {
    switch origin {
    case .input: break
    case .packet(let packet): packets.append((offset, packet))
    case .text(let more):
      if positions.isEmpty { firstPosition = offset }
      positions += more
    }
  }

  /// Forgets what lies wholly before `offset`.
  public mutating func drop(before offset: Int) {
    if let keep = packets.lastIndex(where: { $0.start <= offset }), keep > 64 || keep == packets.count - 1 {
      packets.removeFirst(keep)
    }
    let old = min(offset - firstPosition, positions.count)
    if old > 1 << 16 || old == positions.count, old > 0 {
      positions.removeFirst(old)
      firstPosition += old
    }
  }

  /// The packets that carried `range`, in stream order.
  public func packets(in range: Range<Int>) -> [Origin.Packet] {
    guard !packets.isEmpty, let first = packets.lastIndex(where: { $0.start <= range.lowerBound }) else { return [] }
    var found: [Origin.Packet] = []
    for (start, packet) in packets[first...] {
      if start >= max(range.upperBound, range.lowerBound + 1) { break }
      if found.last != packet { found.append(packet) }
    }
    return found
  }

  /// Line and column of each byte of `range`; empty where the bytes were no text.
  public func positions(in range: Range<Int>) -> [Origin.TextPosition] {
    let local = (range.lowerBound - firstPosition)..<(range.upperBound - firstPosition)
    guard local.lowerBound >= 0, local.upperBound <= positions.count else { return [] }
    return Array(positions[local])
  }
}
