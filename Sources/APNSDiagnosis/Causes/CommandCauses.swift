/// Bugs in the command byte.
extension RootCause {
  package static let enhancedFieldsAfterCommand0 = RootCause(
    "enhanced-fields-behind-command-0", "identifier and expiry are written after command 0",
    why: "Command 0 has no such fields: the service reads the identifier as the token length.",
    fix: "write 01 as the command",
    source: Guide.simpleFormat + ": command 0 has neither identifier nor expiry",
    deviations: [.command(0)])

  package static let commandOfAnotherType = RootCause(
    "command-of-another-type", "the frame has the layout of another command",
    why: "The service reads the frame as the command says.",
    fix: "write the command of the layout that is used",
    source: Guide.binaryInterface + ": each command has its own layout",
    deviations: [.command(0), .command(1), .command(2)])

  package static let commandAsDigit = RootCause(
    "command-as-digit", "the command is an ASCII digit",
    why: "The service knows no command 0x30, 0x31 or 0x32, and closes the connection.",
    fix: "write the number, not its digit: 0x02 instead of '2'", source: "inferred: putchar('2') in C",
    deviations: [.command(Deviation.digit)])

  package static let commandUnknown = RootCause(
    "command-unknown", "the command is none that the service knows",
    why: "The service closes the connection.", fix: "write 0, 1 or 2, as the layout asks for",
    source: Guide.binaryInterface + ": the commands are 0, 1 and 2",
    deviations: [.command(3), .command(9), .command(20)])

  package static let commandMissing = RootCause(
    "command-missing", "frames are written without their command",
    why: "The service reads the first byte of the frame as its command.",
    fix: "write the command as the first byte of each frame",
    source: "inferred: a library that takes it for a type of its own",
    deviations: [.commandMissing])

  package static let commandAdded = RootCause(
    "command-added", "feedback tuples are written with a command",
    why:
      "The provider reads the command as the first byte of the time, and everything after it is shifted by one byte.",
    fix: "write time, token length and token alone: the feedback service has no commands",
    source: Guide.feedbackService + ": a tuple has three parts",
    deviations: [.commandAdded])
}
