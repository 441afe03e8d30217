import APNSWire
import Octets

/// Bugs in the layout: parts that are wider, narrower, missing, extra, or in another order.
let layoutCauses: [RootCause] = [
  RootCause(
    .fieldsOutOfOrder, "the fields are correct but in the wrong order",
    why: "The service reads each field as another one.",
    fix: "write the fields in the order of the format; a packed struct with both lengths first cannot do that",
    source: Guide.binaryInterface + ": the format is \"made up of the following, in order\"",
    .writing([
      .init { $0.move { $0.numbers + $0.payload + $0.token } },
      .init {
        $0.move { $0.numbers + [$0.token[0], $0.payload[0], $0.token[1], $0.payload[1]] }
      },
      .init {
        $0.move { $0.numbers + [$0.payload[0], $0.token[0], $0.token[1], $0.payload[1]] }
      },
      .init {
        $0.move { $0.numbers + [$0.token[1], $0.token[0]] + $0.payload }
      },
      .init {
        $0.move { $0.numbers.isEmpty ? nil : $0.token + $0.payload + $0.numbers }
      },
      .init {
        $0.move { $0.numbers.isEmpty ? nil : $0.token + $0.numbers + $0.payload }
      },
      .init { $0.moveToEnd(.timestamp) },
      .init { $0.moveCommand(after: .status) },
      .init { writing in
        writing.items.hasLengthFirst = true
        return writing.hasItems
      },
    ])),
  RootCause(
    .lengthMissing, "a length is left out",
    why: "The service reads the first bytes of the value as its length.",
    fix: "write the size of the value in two bytes before it",
    source: "inferred: command, token length, token, payload",
    .writing([
      .init { $0.setLengths(of: [.payload], to: 0) },
      .init { $0.setLengths(of: [.token], to: 0) },
      .init { $0.setLengths(of: [.token, .payload], to: 0) },
    ])),
  RootCause(
    .lengthsTooWide, "lengths have more bytes than the format gives them",
    why: "The service reads zeros as the length, and the length as a part of the value.",
    fix: "write lengths of values in two bytes", source: "inferred: writeInt(item.length) in Java",
    .writing([
      .init { $0.setLengths(of: Field.Role.allCases, to: 4) },
      .init { $0.setLengths(of: Field.Role.allCases, to: 8) },
    ])),
  RootCause(
    .lengthsTooNarrow, "lengths have one byte instead of two",
    why: "The service reads the length and the value's first byte as one number.",
    fix: "write lengths of values in two bytes, the high one first", source: "inferred: putc(length) in C"
  ) { $0.setLengths(of: Field.Role.allCases, to: 1) },
  RootCause(
    .frameLengthWrongWidth, "the frame length does not have four bytes",
    why: "The service reads ids and lengths of items as the end of the frame length.",
    fix: "write the frame length in four bytes", source: "inferred: writeShort(frame.length) in Java",
    .writing([
      .init { $0.setFrameLength(to: 2) },
      .init { $0.setFrameLength(to: 1) },
      .init { $0.setFrameLength(to: 8) },
      .init { $0.setFrameLength(to: 0) },
    ])),
  RootCause(
    .structPadding, "there is padding between the fields, as in a C struct",
    why: "The service reads the padding as the first bytes of the next field.",
    fix: "write each field by itself, or pack the struct",
    source: "inferred: struct { uint8_t command; uint32_t identifier; ... } written whole in C",
    // One byte of padding could also be an extra byte before the frame.
    .writing(
      [2, 3, 7].map { size in
        .init {
          $0.insertAfterCommand([UInt8](repeating: 0, count: size))
        }
      })),
  RootCause(
    .numberTooWide, "a number has more bytes than the format gives it",
    why: "The service reads the number's last bytes as the next field.",
    fix: "write times and the identifier in four bytes, the priority and the status in one",
    source: "inferred: a time_t of 64 bits copied as it is in C",
    .writing([
      .init { $0.setSize(of: .expiry, to: 8) },
      .init { $0.setSize(of: .identifier, to: 8) },
      .init { $0.setSize(of: .priority, to: 4) },
      .init { $0.setSize(of: .priority, to: 2) },
      .init { $0.setSize(of: .timestamp, to: 8) },
      .init { $0.setMilliseconds(of: .timestamp) },
      .init { $0.setMilliseconds(of: .expiry) },
      .init { $0.setSize(of: .status, to: 2) },
      .init { $0.setSize(of: .status, to: 4) },
    ])),
  RootCause(
    .numberTooNarrow, "a number has fewer bytes than the format gives it",
    why: "The service reads the first bytes of the next field as the number's end.",
    fix: "write the identifier and the expiry in four bytes", source: "inferred: pack('n', $identifier) in PHP",
    .writing([
      .init { $0.setSize(of: .identifier, to: 2) },
      .init { $0.setSize(of: .identifier, to: 1) },
    ])),
  RootCause(
    .fieldMissing, "a field is left out",
    why: "The service reads the next field in its place.",
    fix: "write all fields of the command: an identifier and an expiry of 0 if there are none",
    source: Guide.binaryInterface + ": the enhanced format has an identifier and an expiry",
    .writing([
      .init { $0.leaveOut(.expiry) },
      .init { $0.leaveOut(.identifier) },
    ])),
  RootCause(
    .itemHeadersMissing, "the values are in the frame without ids and lengths",
    why: "The service reads the first three bytes of the token as the header of an item.",
    fix: "write each value as an item: its id, its length in two bytes, then the value",
    source: "inferred: the fields of command 1 written after command 2"
  ) { $0.removeItemHeaders() },
  RootCause(
    .itemIDsShifted, "the ids of items are counted from 0, or are digits in ASCII",
    why: "The service takes each item for another one, or for an unknown one.",
    fix: "write 1 for the token, 2 for the payload, 3 for the identifier, 4 for the expiry, 5 for the priority",
    source: "inferred: an enum that begins with 0",
    .writing([
      .init { $0.shiftItems(by: 255) },
      .init { $0.shiftItems(by: 0x30) },
    ])),
  RootCause(
    .trailingNUL, "a terminating NUL is written with the payload or after the frame",
    why: "The service reads it as part of the payload, or as the command of the next frame.",
    fix: "write exactly the bytes of the payload: strlen(payload), not strlen(payload) + 1 or sizeof buffer",
    source: Guide.binaryInterface + ": \"The payload must not be null-terminated\"",
    .writing([.init { $0.change(.payload) { $0.rest = .bytes([0]) } }]),
    nulAfterFrame),
  RootCause(
    .trailingNewline, "a line end is written with the payload or after the frame",
    why: "After a frame, the service reads it as the command of the next one.",
    fix: "write bytes, not lines: write instead of puts and println, and no PHP_EOL after the payload",
    source: Guide.binaryInterface + ": the next byte is a command, and 0x0a and 0x0d are none",
    .writing([
      .init { $0.change(.payload) { $0.rest = .bytes([0x0a]) } },
      .init { $0.change(.payload) { $0.rest = .bytes([0x0d, 0x0a]) } },
    ]), lineEndAfterFrame),
  RootCause(
    .staleBytes, "the end of another payload follows the payload",
    why: "The payload is no JSON, and the service refuses it.",
    fix: "write as many bytes as the text has, not as many as the buffer, or the longest text, has",
    source: "inferred: one buffer for all messages, and its longest length",
    .writing([
      .init { $0.change(.payload) { $0.rest = .anything } }
    ]),
    staleTextAfterFrame),
]

/// The steps of a frame without items in groups, each length before its value.
private struct Groups {
  let numbers: [Writing.Step]
  let token: [Writing.Step]
  let payload: [Writing.Step]
}

extension Writing {
  /// Changes the order of numbers, token and payload. Returns false for frames of items.
  fileprivate mutating func move(_ order: (Groups) -> [Step]?) -> Bool {
    guard !hasItems, let token = index(of: .token), let payload = index(of: .payload) else { return false }
    let groups = Groups(
      numbers: steps.filter { if case .value(let field) = $0 { fields[field].isNumber } else { false } },
      token: [.length(token), .value(token)], payload: [.length(payload), .value(payload)])
    guard let moved = order(groups) else { return false }
    steps = [.command] + moved
    return true
  }

  /// Moves a field of the frame after all others.
  fileprivate mutating func moveToEnd(_ role: Field.Role) -> Bool {
    guard let index = index(of: role), let step = steps.firstIndex(of: .value(index)) else { return false }
    steps.append(steps.remove(at: step))
    return true
  }

  fileprivate mutating func moveCommand(after role: Field.Role) -> Bool {
    guard let index = index(of: role), let command = steps.firstIndex(of: .command) else { return false }
    steps.remove(at: command)
    steps.insert(.command, at: (steps.firstIndex(of: .value(index)) ?? 0) + 1)
    return true
  }

  fileprivate mutating func setMilliseconds(of role: Field.Role) -> Bool {
    setSize(of: role, to: 8) && change(role) { $0.coding = .milliseconds }
  }

  fileprivate mutating func setLengths(of roles: [Field.Role], to width: Int) -> Bool {
    var isChanged = false
    for index in fields.indices where fields[index].lengthWidth > 0 && roles.contains(fields[index].field.role) {
      // Without its length, the end of an item is unknown.
      if width == 0, fields[index].item != nil { return false }
      fields[index].lengthWidth = width
      isChanged = true
    }
    return isChanged
  }

  fileprivate mutating func setFrameLength(to width: Int) -> Bool {
    frameLengthWidth = width
    return hasItems
  }

  fileprivate mutating func removeItemHeaders() -> Bool {
    guard let list = steps.firstIndex(of: .items) else { return false }
    for index in fields.indices { fields[index].lengthWidth = 0 }
    steps.replaceSubrange(list...list, with: fields.indices.map { .value($0) })
    return true
  }

  fileprivate mutating func shiftItems(by shift: UInt8) -> Bool {
    items.shift = shift
    return hasItems
  }
}
