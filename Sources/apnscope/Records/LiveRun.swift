import APNSCapture
import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import Octets

/// Captures packets on an interface and shows their records as they arrive.
struct LiveRun {
  private let settings: StreamSettings
  private let style: RecordStyle
  /// The interface; nil means the first one.
  var interface: String?
  /// A BPF expression that packets must match.
  var filter: String?
  /// Maximum number of packets; nil means no limit.
  var count: Int?
  /// A capture file to which the packets are also written.
  var packetFile: OutputPath?
  var selection = RecordSelection()
  var failOn = FailOn.error
  var quiet = false

  init(_ settings: StreamSettings, _ style: RecordStyle) {
    self.settings = settings
    self.style = style
  }

  func run() throws -> ExitStatus {
    var capture = try open()
    // A user who may run apnscope with privileges must not thereby write wherever they allow it, so the file is opened
    // without them. But root without sudo becomes the user nobody, who can write nowhere, so the file is opened before.
    var file = Privileges.leadToNobody ? try PacketFile.open(packetFile) : nil
    try Privileges.drop()
    if file == nil { file = try PacketFile.open(packetFile) }
    file?.begin(capture.linkType)
    capture.saver = file
    if !quiet { StandardError.say("listening on \(capture.interface); end with Ctrl-C") }
    var run = RecordRun(settings, style, inputs: [packetFile?.path ?? ""], output: nil, failOn: failOn)
    run.selection = selection
    run.quiet = quiet
    run.ending = .triage
    return try run.run { dissector in
      var reassembler = Reassembler()
      var failures: [Failure] = []
      do throws(ReadError) {
        try capture.read(packets: count, into: &reassembler, &dissector)
      } catch {
        failures.append(.unreadable("\(error)"))
      }
      // Later packets are not captured.
      dissector.stop()
      reassembler.finish(into: &dissector)
      dissector.finish()
      dissector.records.note(capture.interface, isEmpty: false, remark: summary(of: capture, reassembler.tally))
      return failures
    }
  }

  private func open() throws(Failure) -> LiveCapture {
    var name = interface
    if name == nil { name = try Self.interfaces().first?.name }
    guard let name else { throw .unreadable(Self.noInterfaces) }
    do throws(ReadError) { return try LiveCapture(interface: name, filter: filter) } catch {
      throw Self.failure(of: error, on: name)
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

// MARK: - Interfaces
extension LiveRun {
  private static let noInterfaces =
    "no interface is visible; run apnscope with sudo, or give it the right to capture"

  private static func interfaces() throws(Failure) -> [CaptureInterface] {
    do throws(ReadError) { return try CaptureInterface.all() } catch { throw .unreadable("\(error)") }
  }

  /// Lists the interfaces on standard output, one per line.
  static func listInterfaces() throws(Failure) {
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
