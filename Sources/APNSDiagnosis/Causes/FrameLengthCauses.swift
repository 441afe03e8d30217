import APNSWire

/// Frames of items with a length that contradicts the others because the sender forgot a part, or copied another item.
let frameLengthCauses = [withoutHeaders, withHeader, priorityLengthFour]

private let withoutHeaders = RootCause(
  .frameLengthWithoutHeaders, "the frame length leaves out the item headers",
  why: "The last items lie outside the frame, and the service reads them as the next frame.",
  fix: "count the id and the length of each item too, three bytes in all: build the items, then measure them",
  source: "observed: node-apn/node-apn#133; PushSharp, libcapn and apns-client compute the sum by hand"
) { _, reading, _ in
  guard let reading, let frameLength = reading.frameLength, reading.terminator == 0,
    reading.values.allSatisfy(\.isTrue),
    frameLength == reading.summed({ $0.count }) - reading.values.count * Item.headerSize
  else { return nil }
  let count = reading.values.count
  return reading.explanation {
    "the \(count) items have \(reading.itemsSize) bytes, and the frame length says \(frameLength): too small by exactly "
      + "\(count) headers of 3 bytes"
  }
}

private let withHeader = RootCause(
  .frameLengthWithHeader, "the frame length counts the command and itself",
  why: "The service reads the first bytes of the next frame as part of this one.",
  fix: "count only the items, which follow the frame length",
  source:
    "Local and Push Notification Programming Guide (2013), The Binary Interface and Notification Format: the frame "
    + "length is \"the size of the frame data\""
) { _, reading, _ in
  guard let reading, let frameLength = reading.frameLength, reading.terminator == 0,
    reading.values.allSatisfy(\.isTrue), frameLength == reading.itemsSize + reading.shape.headerSize
  else { return nil }
  let header = reading.shape.headerSize
  return reading.explanation {
    "the items have \(reading.itemsSize) bytes, and the frame length says \(frameLength): too large by exactly the "
      + "\(header) bytes of command and frame length"
  }
}

private let priorityLengthFour = RootCause(
  .priorityLengthFour, "the priority has one byte, but its length says four",
  why: "The service reads three bytes of the next item or frame as part of the priority.",
  fix: "write 1 as the priority's length", source: "observed: joekarl/go-libapns#29, connection.go"
) { _, reading, _ in
  guard let reading, let lie = reading.onlyLie, lie.kind == .number, lie.count == 1, lie.declared == 4,
    reading.field(of: lie).role == .priority, reading.isFrameLengthMeasuredOrSummed
  else { return nil }
  return reading.explanation {
    "the priority's length says 4, it has 1 byte, and with 1 the following items fit"
  }
}
