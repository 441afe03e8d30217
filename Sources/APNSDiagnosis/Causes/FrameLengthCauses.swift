import APNSWire

/// Frames of items whose lengths contradict each other by what a sender forgot, or copied from another item.
let frameLengthCauses = [withoutHeaders, withHeader, priorityLengthFour]

private let withoutHeaders = RootCause(
  "frame-length-without-headers", "the frame length counts the items' data without their headers",
  why: "The last items stand outside of the frame, and the service reads them as the next one.",
  fix: "count id and length of every item too, three bytes each: build the items, then measure them",
  source: "PushSharp, libcapn and apns-client compute the sum by hand; node-apn/node-apn#133"
) { _, reading, _ in
  guard let reading, let frameLength = reading.frameLength, reading.terminator == 0,
    reading.values.allSatisfy(\.isTrue),
    frameLength == reading.summed({ $0.count }) - reading.values.count * Shape.List.header
  else { return nil }
  let count = reading.values.count
  return reading.explanation {
    "the \(count) items take \(reading.itemsSize) bytes, and the frame length says \(frameLength): short by exactly "
      + "\(count) headers of 3 bytes"
  }
}

private let withHeader = RootCause(
  "frame-length-with-header", "the frame length counts the command and itself",
  why: "The service takes the first bytes of the next frame for a part of this one.",
  fix: "count only the items behind the frame length", source: "senders found in public"
) { _, reading, _ in
  guard let reading, let frameLength = reading.frameLength, reading.terminator == 0,
    reading.values.allSatisfy(\.isTrue), frameLength == reading.itemsSize + reading.shape.headerSize
  else { return nil }
  let header = reading.shape.headerSize
  return reading.explanation {
    "the items take \(reading.itemsSize) bytes, and the frame length says \(frameLength): more by exactly the \(header) bytes "
      + "of command and frame length"
  }
}

private let priorityLengthFour = RootCause(
  "priority-length-four", "the priority is one byte behind a length of four",
  why: "The service looks for three more bytes, and takes them from the next item or frame.",
  fix: "write 1 as the priority's length", source: "joekarl/go-libapns#29"
) { _, reading, _ in
  guard let reading, let lie = reading.onlyLie, lie.kind == .number, lie.count == 1, lie.declared == 4,
    lie.field.name == Field.priority.name, reading.isFrameLengthMeasuredOrSummed
  else { return nil }
  return reading.explanation {
    "the priority's length says 4, one byte is there, and the items behind it fit then"
  }
}
