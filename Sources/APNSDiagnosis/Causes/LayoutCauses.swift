import APNSWire
import Octets

/// Bugs in the layout: parts that are wider, narrower, missing, extra, or in another order.
extension RootCause {
  package static let fieldsOutOfOrder = RootCause(
    "fields-out-of-order", "the fields are correct but in the wrong order",
    why: "The service reads each field as another one.",
    fix: "write the fields in the order of the format",
    source: Guide.binaryInterface + ": the format is \"made up of the following, in order\"",
    deviations: [
      .layout(.valuesExchanged), .layout(.lengthsFirst), .layout(.tokenLengthAfterToken),
      .layout(.numbersLast), .layout(.numbersBetween), .layout(.numbersExchanged),
      .itemNumbers(.afterLength),
    ])

  package static let lengthMissing = RootCause(
    "length-missing", "a length is left out",
    why: "The service reads the first bytes of the value as its length.",
    fix: "write the size of the value in two bytes before it",
    source: "inferred: command, token length, token, payload",
    .writing([Writing(.number(.lengths, .missing), .notAllLengths()), Writing(.number(.lengths, .missing))]))

  package static let lengthsTooWide = RootCause(
    "lengths-too-wide", "lengths have more bytes than the format gives them",
    why: "The service reads zeros as the length, and the length as a part of the value.",
    fix: "write lengths of values in two bytes", source: "inferred: writeInt(item.length) in Java",
    deviations: [3, 4, 8].map { .number(.lengths, .wide, width: $0) })

  package static let lengthsTooNarrow = RootCause(
    "lengths-too-narrow", "lengths have one byte instead of two",
    why: "The service reads the length and the value's first byte as one number.",
    fix: "write lengths of values in two bytes, the high one first", source: "inferred: putc(length) in C",
    deviations: [.number(.lengths, .wide, width: 1)])

  package static let frameLengthWrongWidth = RootCause(
    "frame-length-wrong-width", "the frame length does not have four bytes",
    why: "The service reads ids and lengths of items as the end of the frame length.",
    fix: "write the frame length in four bytes", source: "inferred: writeShort(frame.length) in Java",
    deviations: [2, 1, 8, 3].map { .number(.frameLength, .wide, width: $0) } + [
      .layout(.noFrameLength), .number(.frameLength, .missing),
    ])

  package static let structPadding = RootCause(
    "struct-padding", "there is padding between the fields, as in a C struct",
    why: "The service reads the padding as the first bytes of the next field.",
    fix: "write each field by itself, or pack the struct",
    source: "inferred: struct { uint8_t command; uint32_t identifier; ... } written whole in C",
    deviations: [.padding(2), .padding(3), .padding(7)])

  package static let numberTooWide = RootCause(
    "number-too-wide", "a number has more bytes than the format gives it",
    why: "The service reads the number's last bytes as the next field.",
    fix: "write times and the identifier in four bytes, the priority and the status in one",
    source: "inferred: a time_t of 64 bits copied as it is in C",
    .writing([
      Writing(.number(.expiry, .wide, width: 8)), Writing(.number(.identifier, .wide, width: 8)),
      Writing(.number(.priority, .wide, width: 4)), Writing(.number(.priority, .wide, width: 2)),
      Writing(.number(.expiry, .wide, width: 8), .meaning(row: DateMeaning.milliseconds)),
    ]))

  package static let numberTooNarrow = RootCause(
    "number-too-narrow", "a number has fewer bytes than the format gives it",
    why: "The service reads the first bytes of the next field as the number's end.",
    fix: "write the identifier and the expiry in four bytes", source: "inferred: pack('n', $identifier) in PHP",
    deviations: [.number(.identifier, .wide, width: 2), .number(.identifier, .wide, width: 1)])

  package static let fieldMissing = RootCause(
    "field-missing", "a field is left out",
    why: "The service reads the next field in its place.",
    fix: "write all fields of the command: an identifier and an expiry of 0 if there are none",
    source: Guide.binaryInterface + ": the enhanced format has an identifier and an expiry",
    deviations: [.number(.expiry, .missing), .number(.identifier, .missing)])

  package static let itemHeadersMissing = RootCause(
    "item-headers-missing", "the values are in the frame without ids and lengths",
    why: "The service reads the first three bytes of the token as the header of an item.",
    fix: "write each value as an item: its id, its length in two bytes, then the value",
    source: "inferred: the fields of command 1 written after command 2",
    deviations: [.layout(.itemsWithoutHeaders), .layout(.fieldsForItems)])

  package static let itemIDsShifted = RootCause(
    "item-ids-shifted", "the ids of items are counted from 0, or are digits in ASCII",
    why: "The service takes each item for another one, or for an unknown one.",
    fix: "write 1 for the token, 2 for the payload, 3 for the identifier, 4 for the expiry, 5 for the priority",
    source: "inferred: an enum that begins with 0",
    deviations: [.itemNumbers(.fromZero), .itemNumbers(.digits)])
}
