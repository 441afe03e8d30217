import APNSDiagnosis
import ArgumentParser

/// Options for the roles of streams.
struct RoleOptions: ParsableArguments {
  @Option(help: "Role of the sender of the streams.")
  var role = RoleChoice.auto

  @Option(
    name: .customShort("d"),
    help: ArgumentHelp("Decode a port as push or feedback: -d tcp.port==2295,push.", valueName: "rule"),
    transform: DecodeAs.init)
  var decodeAs: [DecodeAs] = []

  @Flag(
    name: .customLong("no-recover"),
    help: "Trust every length field. By default a length is overruled if valid frames start inside it.")
  var trustsLengths = false

  @OptionGroup var frames: FramesOption

  /// - Parameter rules: Nil if frames are not judged.
  func settings(_ rules: RuleOptions? = nil) throws(Failure) -> StreamSettings {
    let role = try role.role()
    let ports = decodeAs.map { ($0.port, $0.service) }
    return StreamSettings(
      roles: RolePolicy(role: role, ports: Dictionary(ports, uniquingKeysWith: { $1 })),
      recovers: !trustsLengths, rules: try rules?.policy() ?? RulePolicy(), flags: flags + (rules?.flags ?? []))
  }

  private var flags: [String] {
    (role.isAuto ? [] : ["--role", role.name]) + FrameFiles.flags + decodeAs.flatMap { ["-d", $0.text] }
      + (trustsLengths ? ["--no-recover"] : [])
  }
}

/// A rule such as `tcp.port==2295,push`, in tshark's syntax.
struct DecodeAs {
  let port: UInt16
  let service: RolePolicy.Service

  init(_ argument: String) throws {
    let halves = argument.split(separator: ",")
    guard halves.count == 2, halves[0].hasPrefix("tcp.port=="), let port = UInt16(halves[0].dropFirst(10)),
      let service = RolePolicy.Service(rawValue: String(halves[1]))
    else {
      let port = UInt16(argument.filter(\.isNumber)) ?? 2195
      throw ValidationError("write it as -d tcp.port==\(port),push or -d tcp.port==\(port),feedback")
    }
    self.port = port
    self.service = service
  }

  var text: String { service.decodeRule(for: port) }
}
