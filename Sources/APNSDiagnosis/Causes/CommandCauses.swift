import APNSWire

/// The command byte.
let commandCauses: [RootCause] = [
  RootCause(
    .enhancedFieldsBehindCommand0, "identifier and expiry are written after command 0",
    why: "Command 0 has no such fields: the service reads the identifier as the token length.",
    fix: "write 01 as the command",
    source: Guide.simpleFormat + ": command 0 has neither identifier nor "
      + "expiry",
    with: "and its fields"
  ) { writing in
    writing.command = .byte(LegacyNotification.schema.command?.rawValue ?? 0)
    return writing.schema.name == EnhancedNotification.schema.name
  },
  RootCause(
    .commandOfAnotherType, "the frame has the layout of another command",
    why: "The service reads the frame as the command says.",
    fix: "write the command of the layout that is used",
    source: Guide.binaryInterface + ": each command has its own layout", with: "and its layout"
  ) { writing in
    writing.command = .ofAnotherType
    return writing.schema.command != nil
  },
  RootCause(
    .commandAsDigit, "the command is an ASCII digit",
    why: "The service knows no command 0x30, 0x31 or 0x32, and closes the connection.",
    fix: "write the number, not its digit: 0x02 instead of '2'", source: "inferred: putchar('2') in C",
    with: "instead of its digit"
  ) { writing in
    writing.command = .digit
    return writing.schema.command.map { $0.rawValue < 10 } ?? false
  },
  RootCause(
    .commandUnknown, "the command is none that the service knows",
    why: "The service closes the connection.", fix: "write 0, 1 or 2, as the layout asks for",
    source: Guide.binaryInterface + ": the commands are 0, 1 and 2", with: "and its layout"
  ) { writing in
    writing.command = .unknown
    return writing.schema.command != nil
  },
  RootCause(
    .commandMissing, "frames are written without their command",
    why: "The service reads the first byte of the frame as its command.",
    fix: "write the command as the first byte of each frame",
    source: "inferred: a library that takes it for a type of its own",
    mustRecur: true, with: "without the command"
  ) { writing in
    guard let command = writing.steps.firstIndex(of: .command) else { return false }
    writing.steps.remove(at: command)
    return true
  },
]
