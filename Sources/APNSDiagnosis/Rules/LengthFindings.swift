import APNSPayload
import APNSWire
import Octets

/// Messages for frames that end earlier than a length claims, because the stream ends or the next frame begins. If the
/// bytes determine the correct length, the fix is the value to write.
extension Report {
  mutating func addTruncation(at defect: DecodeError, _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>) {
    let length = facts.catalog.openLength(of: facts.frame, in: bytes)
    switch facts.ending {
    case .over:
      if !addFault(.truncated, length, facts, bytes) {
        add(.truncated, at: defect.range, "the stream ends " + place(of: defect, length))
      }
    // Missing bytes in a capture are not the sender's fault.
    case .gap:
      add(
        .truncated, .warning, at: defect.range, "the capture is missing bytes " + place(of: defect, length),
        fix: "capture again: the rest of this frame was not captured")
    case .brokenOff:
      add(
        .truncated, .warning, at: defect.range, "the input ends " + place(of: defect, length),
        fix: "correct the input first: what follows could not be read")
    // The following bytes were not read, so the frame may be complete.
    case .stopped: break
    }
  }

  mutating func addOverruling(at defect: DecodeError, _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>) {
    let length = facts.catalog.openLength(of: facts.frame, in: bytes)
    if addFault(.overruledLength, length, facts, bytes) { return }
    guard let length else {
      add(
        .overruledLength, at: defect.range,
        "\(plural(facts.frame.count, "byte")) before what looks like the next frame: too few for a frame",
        fix: "find which write sends them: a part of a frame, or bytes that belong to none")
      return
    }
    let missing = length.declared - length.available
    add(
      .overruledLength, at: length.range,
      "\(plural(missing, "byte")) of the \(length.valueTitle) \(missing == 1 ? "is" : "are") missing: its length is "
        + "\(length.declared), but what looks like the next frame begins after \(length.available)",
      fix: "send all bytes of the frame: look for a short write, a lost buffer, or two streams in one; if none are "
        + "missing, correct the length")
  }
}

/// `after 20 of 64 bytes of the payload`.
private func place(of defect: DecodeError, _ length: OpenLength?) -> String {
  guard let length, length.endsInside, length.field?.isList != true else {
    let least = defect.needed - defect.available
    return "at the \(defect.field?.title ?? "header"): this frame has at least \(plural(least, "more byte"))"
  }
  return "after \(length.available) of \(plural(length.declared, "byte")) of the \(length.valueTitle)"
}

extension Report {
  /// Reports a length that is certainly invalid. Returns false if the lengths may be correct and bytes are missing.
  private mutating func addFault(
    _ rule: Rule, _ open: OpenLength?, _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>
  ) -> Bool {
    // If the length around the items is too large, the items are unreadable too.
    let list = facts.catalog.listLength(of: facts.frame, in: bytes).flatMap { $0.isTooLarge ? $0 : nil }
    guard let length = list ?? open else { return false }
    let width = length.range.count
    let written = "the \(length.title) is \(length.declared) (\(wireBytes(length.declared, width: width)))"
    let isList = length.field?.isList == true
    if list == nil, let size = length.realSize(facts, bytes) {
      let isSure = !isList || facts.frame.condition == .overruled
      add(
        rule, at: length.range,
        "\(written), but \(isList ? "its items have" : "the \(length.valueTitle) has") \(plural(size, "byte"))",
        fix: "write \(wireBytes(size, width: width))" + (isSure ? "" : ", unless the rest of the frame is missing"))
    } else if length.isTooLarge {
      let size = length.sizeInTwoBytes(bytes)
      let fix =
        isList
        ? "write it in \(plural(width, "byte")), big-endian; it counts the items only"
        : "write the number of bytes, big-endian, in \(plural(width, "byte")); if it already is, an earlier field or "
          + "length is wrong"
      add(
        rule, at: length.range,
        "\(written), more than any \(length.valueTitle) has"
          + (size == nil ? "; \(bytesFollow(length.available))" : ": it looks two bytes too short"),
        fix: size.map { "write four bytes, \(wireBytes($0, width: 4))" } ?? fix)
    } else {
      return false
    }
    return true
  }
}

extension OpenLength {
  var title: String { item.map { "length of item \($0.rawValue)" } ?? name?.title ?? "length" }

  fileprivate var valueTitle: String {
    if field?.isList == true { return "frame" }
    return field?.name.title ?? item.map { "data of item \($0.rawValue)" } ?? "value"
  }

  /// Whether it claims bytes that are missing, and more of them than any value of its kind has.
  fileprivate var isTooLarge: Bool { declared > available && field?.most.map { declared > $0 } ?? false }

  /// The size in a frame length of two bytes, which an item follows; nil if it has four.
  fileprivate func sizeInTwoBytes(_ bytes: Span<UInt8>) -> Int? {
    guard range.count == 4, let most = field?.most, case .items(let items)? = field?.content else { return nil }
    let (size, item) = (Int(bytes.bigEndian(range.lowerBound, width: 2)), bytes[range.lowerBound + 2])
    return 1...most ~= size && size <= available + 2 && items.contains { $0.id.rawValue == item } ? size : nil
  }

  /// The size that the bytes show: complete items, or JSON up to its closing bracket.
  fileprivate func realSize(_ facts: borrowing FrameFacts, _ bytes: Span<UInt8>) -> Int? {
    switch field?.content {
    // Without a token or a payload, the list is incomplete.
    case .items: return endsInside || !facts.isNotification ? nil : available
    case .json:
      let start = range.upperBound
      return JSONScanner.objectEnd(at: start, before: facts.frame.end, in: bytes).map { $0 - start }
    default: return nil
    }
  }
}

extension Field {
  /// The maximum size in bytes of a value of this kind in any edition; nil if it is not known.
  fileprivate var most: Int? {
    guard case .items(let items) = content else { return size ?? plausible?.upperBound }
    let sizes = items.compactMap { item in
      item.occurrence == .any ? nil : item.field.most.map { $0 + Item.headerSize }
    }
    return sizes.count == items.count ? sizes.reduce(0, +) : nil
  }
}
