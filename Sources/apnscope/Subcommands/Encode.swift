import APNSViews
import APNSWire
import ArgumentParser

struct Encode: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Build frames from flags or from NDJSON: as hex, raw bytes, base64, a C array, NDJSON or a capture.",
    usage: """
      apnscope encode [<options>] [<file> ...]
      apnscope encode --command 2 --token b4bce12f9d --payload '{"aps":{"alert":"Hi"}}' --expiry +1d --priority 10
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope
      apnscope encode --timestamp now --token b4bce12f9d -T c
      apnscope encode --command 0 --token b4bce12f9d --payload '{}' --length token_length=32
      apnscope --hex '000001aa000a7b22617073223a7b7d7d' -T ndjson | apnscope encode --set payload.aps.badge=3 -T ndjson
      """,
    discussion: """
      Without flags that describe a frame, encode reads NDJSON, as written by `dissect -T ndjson`, from the files or from \
      standard input. Lengths are computed unless you give them; a length that you give is written unchanged, even if it \
      is wrong.

      \(HelpText.exitStatus("the frames were written", nil))
      """)

  @Argument(
    help: "NDJSON files to read; - is standard input (the default).",
    completion: .file())
  var files: [InputPath] = []

  @Option(
    help: ArgumentHelp("The frame type by its command byte: \(listed(FrameRequest.commands)).", valueName: "number"))
  var command: String?

  @Option(help: ArgumentHelp("The frame type by its name: \(typeNames).", valueName: "name"))
  var type: String?

  @Option(help: ArgumentHelp("Device token in hexadecimal.", valueName: "hex"))
  var token: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Payload, used verbatim; @FILE reads it from a file.", valueName: "text"))
  var payload: String?

  @Option(help: ArgumentHelp("Payload in hexadecimal.", valueName: "hex"))
  var payloadHex: String?

  @Option(help: ArgumentHelp("Identifier: decimal or 0x hexadecimal.", valueName: "number"))
  var identifier: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Expiry: seconds since 1970, +1d, now, or 2013-11-19T00:00:00Z.", valueName: "time"))
  var expiry: String?

  @Option(help: ArgumentHelp("Priority: \(listed(priorities)).", valueName: "number"))
  var priority: String?

  @Option(help: ArgumentHelp("Status of an error response.", valueName: "number"))
  var status: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Timestamp of a feedback tuple, in the forms of --expiry.", valueName: "time"))
  var timestamp: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Set a field, a length or a value in the payload: payload.aps.badge=3.", valueName: "name=value")
  )
  var assignments: [String] = []

  @Option(
    name: .customLong("length"),
    help: ArgumentHelp(
      "Write this length even if it is wrong: token_length=32, or 2.data_length=32 for item 2.",
      valueName: "name=number"))
  var lengths: [String] = []

  @Option(
    name: .customLong("item"),
    help: ArgumentHelp("Add an item to command 2; items are written in the order given: 5=0a.", valueName: "id=hex"))
  var items: [String] = []

  @Option(help: ArgumentHelp("Bytes to write after the last complete field.", valueName: "hex"))
  var rest: [String] = []

  @Option(help: ArgumentHelp("Build a damaged frame, in which fields may be missing.", valueName: "damage"))
  var condition: Damage?

  @Option(help: ArgumentHelp("Write these bytes, without a frame around them.", valueName: "hex"))
  var hex: [String] = []

  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp("Output format; c is a C array, pcap a capture with synthetic packets.", valueName: "format"))
  var format: EncodeFormat = .hex

  @OptionGroup var target: OutputOption

  @OptionGroup var frames: FramesOption

  @OptionGroup var messages: QuietOption

  private static let typeNames = protocolDefinitions.catalog.schemas.map(\.name).joined(separator: ", ")

  private static let priorities: [String] = {
    guard case .integer(_, .code(let names, _)) = Field.priority.content else { return [] }
    return names.keys.sorted(by: >).map(String.init)
  }()

  private static func listed(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
  }

  func execute() throws -> ExitStatus {
    var run = EncodeRun(frame, format)
    run.files = files
    run.assignments = assignments
    run.output = target.output
    run.quiet = messages.quiet
    return try run.run()
  }

  private var frame: FrameRequest {
    var frame = FrameRequest()
    frame.command = command
    frame.type = type
    frame.values = EncodeFlag.allCases.compactMap { flag in value(of: flag).map { (flag, $0) } }
    frame.lengths = lengths
    frame.items = items
    frame.rest = rest
    frame.condition = condition
    frame.hex = hex
    return frame
  }

  private func value(of flag: EncodeFlag) -> String? {
    switch flag {
    case .token: token
    case .payload: payload
    case .payloadHex: payloadHex
    case .identifier: identifier
    case .expiry: expiry
    case .priority: priority
    case .status: status
    case .timestamp: timestamp
    }
  }
}
