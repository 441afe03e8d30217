import APNSWire

/// Bugs in the command byte.
let commandCauses: [RootCause] = [
  RootCause(
    .enhancedFieldsAfterCommand0, "identifier and expiry are written after command 0",
    why: "Command 0 has no such fields: the service reads the identifier as the token length.",
    fix: "write 01 as the command",
    source: Guide.simpleFormat + ": command 0 has neither identifier nor "
      + "expiry"
  ) { writing in
    writing.command = .byte(LegacyNotification.schema.command?.rawValue ?? 0)
    return writing.schema.name == EnhancedNotification.schema.name
  },
  RootCause(
    .commandOfAnotherType, "the frame has the layout of another command",
    why: "The service reads the frame as the command says.",
    fix: "write the command of the layout that is used",
    source: Guide.binaryInterface + ": each command has its own layout"
  ) { writing in
    writing.command = .ofAnotherType
    return writing.schema.command != nil
  },
  RootCause(
    .commandAsDigit, "the command is an ASCII digit",
    why: "The service knows no command 0x30, 0x31 or 0x32, and closes the connection.",
    fix: "write the number, not its digit: 0x02 instead of '2'", source: "inferred: putchar('2') in C",
    .writing([
      .init { $0.writeDigit() },
      .init {
        $0.writeDigit() && $0.change(.status) { $0.coding = .decimalText }
      },
    ])),
  RootCause(
    .commandUnknown, "the command is none that the service knows",
    why: "The service closes the connection.", fix: "write 0, 1 or 2, as the layout asks for",
    source: Guide.binaryInterface + ": the commands are 0, 1 and 2"
  ) { writing in
    writing.command = .unknown
    // Any six bytes contain an error response with another command.
    return writing.schema.command != nil && writing.schema.hasLengths
  },
  RootCause(
    .commandMissing, "frames are written without their command",
    why: "The service reads the first byte of the frame as its command.",
    fix: "write the command as the first byte of each frame",
    source: "inferred: a library that takes it for a type of its own"
  ) { writing in
    guard let command = writing.steps.firstIndex(of: .command) else { return false }
    writing.steps.remove(at: command)
    return true
  },
  RootCause(
    .commandAdded, "feedback tuples are written with a command",
    why:
      "The provider reads the command as the first byte of the time, and everything after it is shifted by one byte.",
    fix: "write time, token length and token alone: the feedback service has no commands",
    source: "Local and Push Notification Programming Guide (2013), The Feedback Service: a tuple has three parts"
  ) { writing in
    guard writing.schema.command == nil else { return false }
    writing.steps.insert(.bytes([ErrorResponse.schema.command?.rawValue ?? 8]), at: 0)
    return true
  },
]

extension Writing {
  fileprivate mutating func writeDigit() -> Bool {
    command = .digit
    return schema.command.map { $0.rawValue < 10 } ?? false
  }
}
