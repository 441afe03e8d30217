import APNSCapture
import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import ArgumentParser

struct Capture: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Capture and dissect live traffic.",
    usage: """
      sudo apnscope capture -i lo -f 'tcp port 2195'
      sudo apnscope capture -i eth0 -w push.pcap
      apnscope capture -D
      """,
    discussion: """
      The traffic must not be encrypted: capture it after TLS is removed, such as behind a proxy. Root privileges are \
      dropped before the first packet is parsed: to the user who ran sudo, or else to the user nobody. Ctrl-C stops.
      """)

  @Option(
    name: .customShort("i"),
    help: ArgumentHelp(
      "Interface to capture on (default: the first that -D lists); any captures on all.", valueName: "iface"))
  var interface: String?

  @Flag(name: .customShort("D"), help: "List the interfaces.")
  var listsInterfaces = false

  @Option(
    name: .customShort("f"), help: ArgumentHelp("Capture only packets that match a BPF expression.", valueName: "bpf"))
  var filter: String?

  @Option(name: .customShort("c"), help: ArgumentHelp("Stop after COUNT packets.", valueName: "count"))
  var count: Int?

  @Option(name: .customShort("w"), help: ArgumentHelp("Also write the packets to FILE.", valueName: "file"))
  var output: String?

  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: "Selection") var selection: Selection
  @OptionGroup(title: "Output") var display: Display

  @Option(help: ArgumentHelp("Exit with 1 on findings of this severity or worse.", valueName: "severity"))
  var failOn: FailOn = .error

  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError("The option -c must be at least 1.") }
    if output == "-" {
      throw ValidationError("The option -w takes a file; to pipe packets, use tcpdump -U -w -.")
    }
  }

  func execute() throws -> ExitStatus {
    if listsInterfaces { return try listInterfaces() }
    let format = display.format(else: .line)
    let user = Listening(command: self, format: format, rules: try rules.policy(), filter: try selection.filter())
    return try display.show(format, inputs: [], writesFile: false, with: user)
  }

  private func listInterfaces() throws(Failure) -> ExitStatus {
    let interfaces = try Self.interfaces()
    if interfaces.isEmpty { Talk.say(Self.noInterfaces) }
    let width = interfaces.map(\.name.count).max() ?? 0
    var text = ""
    for interface in interfaces {
      var words = [interface.name.padded(to: width)]
      words.append(interface.isUp ? "up  " : "down")
      words += [interface.isLoopback ? "loopback" : nil, interface.description].compactMap { $0 }
      text += printable(words.joined(separator: "  ")) + "\n"
    }
    guard StandardOutput.write(text) else { throw .unreadable("standard output: \(systemError())") }
    return .clean
  }

  private static let noInterfaces =
    "no interface is visible; run apnscope with sudo, or give it the right to capture"

  private static func interfaces() throws(Failure) -> [CaptureInterface] {
    do throws(ReadError) { return try CaptureInterface.all() } catch { throw .unreadable("\(error)") }
  }

  private struct Listening: ViewUser {
    let command: Capture
    let format: ViewFormat
    let rules: RulePolicy
    let filter: Filter?

    func use(_ view: some View) throws -> ExitStatus {
      var capture = try open()
      // A user who may run this with sudo may not therefore write wherever root may: the file is opened with the user's
      // rights. Without sudo they are those of the user nobody, who can write nowhere.
      let file = Privileges.areBorrowed ? nil : try command.openFile()
      try Privileges.drop()
      try command.save(from: &capture, to: file ?? command.openFile())
      if !command.quiet { Talk.say("listening on \(capture.interface); end with Ctrl-C") }
      let showing = Showing(
        roles: command.roles, rules: rules, selection: command.selection, filter: filter, limit: nil,
        output: nil,
        failOn: command.failOn, quiet: command.quiet,
        hidesNotes: command.display.hidesNotes(format, command.failOn), format: format, flags: command.roles.flags,
        inputs: [],
        hasHeadings: false)
      return try showing.run(view) { dissector in
        var reassembler = Reassembler()
        var failures: [Failure] = []
        do throws(ReadError) {
          try capture.read(packets: command.count, into: &reassembler, &dissector)
        } catch {
          failures.append(.unreadable("\(error)"))
        }
        // Whatever follows is not captured.
        dissector.stop()
        reassembler.finish(into: &dissector)
        dissector.finish()
        dissector.records.note(
          capture.interface, isEmpty: false, remark: command.account(of: capture, reassembler.tally))
        return failures
      }
    }

    private func open() throws(Failure) -> LiveCapture {
      var name = command.interface
      if name == nil { name = try Capture.interfaces().first?.name }
      guard let name else { throw .unreadable(Capture.noInterfaces) }
      do throws(ReadError) {
        return try LiveCapture(interface: name, filter: command.filter)
      } catch {
        throw Capture.failure(of: error, on: name)
      }
    }
  }

  private func openFile() throws(Failure) -> Int32? {
    guard let output else { return nil }
    guard let file = Descriptor(capture: output) else {
      throw .unreadable("\(output): \(systemError()); choose a writable file")
    }
    return file.duplicate()
  }

  private func save(from capture: inout LiveCapture, to file: Int32?) throws(Failure) {
    guard let file, let output else { return }
    do throws(ReadError) {
      try capture.save(to: file, named: output)
    } catch {
      throw .unreadable("\(error)")
    }
  }

  private func account(of capture: borrowing LiveCapture, _ tally: Reassembler.Tally) -> String {
    var parts = [plural(capture.packetCount, "packet") + " captured"]
    if let losses = capture.losses {
      parts.append("\(losses.kernel) dropped by the kernel")
      if losses.interface > 0 { parts.append("\(losses.interface) by the interface") }
    }
    if !tally.description.isEmpty { parts.append(tally.description) }
    return parts.joined(separator: ", ")
  }

  private static func failure(of error: ReadError, on interface: String) -> Failure {
    switch error.code {
    case .noPermission:
      return .unreadable(
        "\(error); grant it once with sudo setcap cap_net_raw,cap_net_admin=eip "
          + "\"$(command -v apnscope)\", or run apnscope with sudo")
    case .noInterface:
      let names = ((try? interfaces()) ?? []).map(\.name)
      return .unreadable(
        "\(error)\(suggestion(interface, names)); apnscope capture -D lists the interfaces")
    case .badFilter:
      return .usage("\(error)")
    default:
      return .unreadable("\(error)")
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
