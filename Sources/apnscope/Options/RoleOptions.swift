import APNSDiagnosis
import APNSWire
import ArgumentParser

/// Options for the roles of streams.
struct RoleOptions: ParsableArguments {
  @Option(help: "Role of the sender of the streams.")
  var role = RoleChoice.auto

  @Option(
    name: .customShort("d"),
    help: ArgumentHelp(
      "Decode a port as push or feedback: -d tcp.port==2295,push.", valueName: "rule", visibility: .rare),
    transform: DecodeAs.init)
  var decodeAs: [DecodeAs] = []

  @Flag(
    name: .customLong("no-recover"),
    help: ArgumentHelp(
      "Trust every length field. By default a length is overruled if valid frames start inside it.",
      visibility: .rare))
  var trustsLengths = false

  @OptionGroup var frames: FramesOption

  /// - Parameter rules: Nil if frames are not judged.
  func settings(_ definitions: Definitions, _ rules: (any JudgingOptions)? = nil) throws(Failure) -> StreamSettings {
    let ports = decodeAs.map { ($0.port, $0.service) }
    let policy = RolePolicy(
      role: try role.role(in: definitions.catalog), ports: Dictionary(ports, uniquingKeysWith: { $1 }))
    let flags =
      (role.isAuto ? [] : ["--role", role.name]) + frames.flags + decodeAs.flatMap { ["-d", $0.text] }
      + (trustsLengths ? ["--no-recover"] : [])
    return StreamSettings(
      definitions: definitions, roles: policy, recovers: !trustsLengths, rules: try rules?.policy() ?? RulePolicy(),
      flags: flags + (rules?.flags ?? []), frameFlags: frames.flags)
  }
}

/// How streams are read and judged: what options say, with names resolved.
struct StreamSettings {
  let definitions: Definitions
  var roles = RolePolicy()
  /// Whether a length is overruled if valid frames start inside it.
  var recovers = true
  var rules = RulePolicy()
  /// The options with the same effect, for commands that users can paste.
  var flags: [String] = []
  /// Those of them that add frame types, which every command needs.
  var frameFlags: [String] = []

  var catalog: Catalog { definitions.catalog }

  func dissector<Records: RecordSink & ~Copyable>(
    counting: Counting? = nil, into records: consuming Records
  ) -> Dissector<Records> {
    Dissector(definitions, policy: roles, rules: rules, recovers: recovers, counting: counting, into: records)
  }
}

/// The name of a role. A file of frame types may add roles, so the name is resolved when these are loaded.
struct RoleName: ExpressibleByArgument {
  let name: String

  init(argument: String) { name = argument }

  static let provider = RoleName(argument: "provider")

  func role(in catalog: Catalog) throws(Failure) -> StreamRole {
    if let role = catalog.roles.first(where: { catalog.name(of: $0) == name }) { return role }
    let names = catalog.roles.map(catalog.name(of:)).joined(separator: ", ")
    throw .usage("--role \(name): unknown role; the roles are \(names)")
  }

  var defaultValueDescription: String { name }
  static var allValueStrings: [String] { Catalog.standard.roles.map(Catalog.standard.name(of:)) }
}

/// `auto`, or the name of a role.
struct RoleChoice: ExpressibleByArgument {
  private let chosen: RoleName

  init(argument: String) { chosen = RoleName(argument: argument) }

  static let auto = RoleChoice(argument: "auto")

  var name: String { chosen.name }
  var isAuto: Bool { name == Self.auto.name }

  /// Nil for `auto`.
  func role(in catalog: Catalog) throws(Failure) -> StreamRole? { isAuto ? nil : try chosen.role(in: catalog) }

  var defaultValueDescription: String { name }
  static var allValueStrings: [String] { [auto.name] + RoleName.allValueStrings }
}

/// A rule such as `tcp.port==2295,push`, in tshark's syntax.
struct DecodeAs {
  let port: UInt16
  let service: RolePolicy.Service

  init(_ port: UInt16, _ service: RolePolicy.Service) { (self.port, self.service) = (port, service) }

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

  var text: String { "tcp.port==\(port),\(service.rawValue)" }
}
