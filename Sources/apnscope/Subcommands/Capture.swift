import APNSCapture
import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import ArgumentParser
import Octets

struct Capture: StreamRunnable {
  static let configuration = CommandConfiguration(
    "capture", "Capture and dissect live traffic.",
    usage: """
      apnscope capture [<options>]
      sudo apnscope capture -i lo -f 'tcp port 2195'
      sudo apnscope capture -i eth0 -w push.pcap
      apnscope capture -D
      """,
    discussion: """
      The traffic must not be encrypted: capture it after TLS is removed, such as behind a proxy. All privileges are \
      dropped before the first packet is parsed: root becomes the user who ran sudo, or else the user nobody, and no \
      capability is left. Ctrl-C stops.
      """)

  @Option("-i <iface>", "Interface to capture on (default: the first that -D lists); any captures on all.")
  var interface: String?

  @Flag(name: .customShort("D"), help: "List the interfaces.")
  var listsInterfaces = false

  @Option("-f <bpf>", "Capture only packets that match a BPF expression.")
  var filter: String?

  @Option("-c <count>", "Stop after COUNT packets.")
  var count: Int?

  @Option(writes: "-w <outfile>", "Also write the packets to FILE.")
  var output: OutputPath?

  @OptionGroup var roles: RoleOptions
  @OptionGroup var rules: RuleOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var records: RecordOptions
  @OptionGroup var exit: FailOnOption
  @OptionGroup var messages: QuietOption

  func validate() throws {
    if let count, count < 1 { throw ValidationError("The option -c must be at least 1.") }
    if output?.path == "-" {
      throw ValidationError("The option -w needs a file; to pipe packets, use tcpdump -U -w -.")
    }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    if listsInterfaces {
      try Self.listInterfaces()
      return .clean
    }
    let settings = try roles.settings(definitions, rules.policy())
    let pipeline = try RecordPipeline(
      settings, selection.selection(definitions), records, else: .line, inputs: [output?.path ?? ""], output: nil,
      exit, messages)
    var capture = try open()
    // A user who may run apnscope with privileges must not thereby write wherever they allow it, so the file is opened
    // without them. But root without sudo becomes the user nobody, who can write nowhere, so the file is opened before.
    var file = Privileges.leadToNobody ? try output.map(PacketFile.init) : nil
    try Privileges.drop()
    if file == nil { file = try output.map(PacketFile.init) }
    capture.saver = file.map { $0.save }
    if !messages.quiet { StandardError.say("listening on \(capture.interface); end with Ctrl-C") }
    return try pipeline.run { dissector in
      var reassembler = Reassembler()
      var reading = InputReading()
      do throws(ReadError) {
        try file?.begin(capture.linkType)
        try capture.read(packets: count, into: &reassembler, &dissector)
      } catch {
        reading.failures.append(.unreadable("\(error)"))
      }
      // Later packets are not captured.
      dissector.stop()
      reassembler.finish(into: &dissector)
      dissector.finish()
      reading.notes = [(capture.interface, isEmpty: false, remark: summary(of: capture, reassembler.tally))]
      return reading
    }
  }

  private func open() throws(Failure) -> LiveCapture {
    guard let name = try interface == nil ? Self.interfaces().first?.name : interface else {
      throw .unreadable(Self.noInterfaces)
    }
    do throws(ReadError) { return try LiveCapture(interface: name, filter: filter) } catch {
      let fix =
        switch error.code {
        case .noPermission:
          "; grant it once with sudo setcap cap_net_raw,cap_net_admin=eip \"$(command -v apnscope)\", or run apnscope "
            + "with sudo"
        case .noInterface:
          suggestion(name, ((try? Self.interfaces()) ?? []).map(\.name)) + "; apnscope capture -D lists the interfaces"
        default: ""
        }
      throw Failure(status: error.code == .badFilter ? .usage : .unreadable, sentence: "\(error)\(fix)")
    }
  }

  private func summary(of capture: borrowing LiveCapture, _ tally: Reassembler.Tally) -> String {
    var parts = [plural(capture.packetCount, "packet") + " captured"]
    if let losses = capture.losses {
      parts.append("\(losses.kernel) dropped by the kernel")
      if losses.interface > 0 { parts.append("\(losses.interface) by the interface") }
    }
    if !tally.description.isEmpty { parts.append(tally.description) }
    return parts.joined(separator: ", ")
  }

  // MARK: - Interfaces

  private static let noInterfaces =
    "no interface is visible; run apnscope with sudo, or give it the right to capture"

  private static func interfaces() throws(Failure) -> [CaptureInterface] {
    try ExitStatus.unreadable.failing { try CaptureInterface.all() }
  }

  private static func listInterfaces() throws(Failure) {
    let interfaces = try interfaces()
    if interfaces.isEmpty { StandardError.say(noInterfaces) }
    let width = (interfaces.map(\.name.count).max() ?? 0) + 2
    var file = try OutputFile(nil)
    for interface in interfaces {
      let state = interface.isUp ? "up  " : "down"
      let words = [state, interface.isLoopback ? "loopback" : nil, interface.description].compactMap { $0 }
      file.append { $0.write(printable(interface.name.padded(to: width) + words.joined(separator: "  ")) + "\n") }
    }
    try file.close()
  }
}
