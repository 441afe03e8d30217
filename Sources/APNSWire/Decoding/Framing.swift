import Octets

extension Catalog {
  /// The most bytes that a frame is buffered for: 1 MiB. No valid notification is longer, since an item holds at most
  /// 64 KiB. The limit keeps a length that claims gigabytes from costing memory.
  public static let longestFrame = 1 << 20

  /// Bytes that belong to no frame are reported in pieces of at most this size: 64 KiB.
  public static let longestPiece = 1 << 16

  /// Decoding pass 1: the frame that starts at `start`. It trusts all lengths and assumes that the stream ends with
  /// `bytes`. The function is total: it returns a non-empty frame for any input.
  ///
  /// - Precondition: `start` is an index of `bytes`.
  @inlinable
  public func frame(at start: Int, in bytes: Span<UInt8>, of role: StreamRole) -> FrameRef {
    let available = bytes.count
    let schema = tables.plan.schema(startingWith: bytes[start], role: role)
    if schema == FrameRef.noSchema {
      let end = min(available, start + Catalog.longestPiece)
      return FrameRef(start: start, end: end, schema: schema, condition: .unknownCommand)
    }
    var end = start
    for index in tables.plan.bounds[Int(schema)]..<tables.plan.bounds[Int(schema) + 1] {
      let step = tables.plan.steps[index]
      end += step.width
      if end > available {
        return FrameRef(
          start: start, end: available, schema: schema, condition: .truncated, needed: end + step.tail - available,
          endIsKnown: !step.isCounted && !step.hasLaterLength)
      }
      guard step.isCounted else { continue }
      end += Int(bytes.bigEndian(end - step.width, width: step.width))
      if end > available || end - start > Catalog.longestFrame {
        return cut(
          start: start, declaredEnd: end + step.tail, endIsKnown: !step.hasLaterLength, available: available,
          schema: schema)
      }
    }
    return FrameRef(start: start, end: end, schema: schema, condition: .complete)
  }

  @usableFromInline
  func cut(start: Int, declaredEnd: Int, endIsKnown: Bool, available: Int, schema: UInt8) -> FrameRef {
    let isOversized =
      declaredEnd - start > Catalog.longestFrame && available - start > Catalog.longestFrame
    let end = isOversized ? start + Catalog.longestPiece : available
    return FrameRef(
      start: start, end: end, schema: schema, condition: isOversized ? .oversized : .truncated,
      needed: declaredEnd - end, endIsKnown: endIsKnown)
  }
}
