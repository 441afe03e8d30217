import APNSDiagnosis
import APNSWire
import ArgumentParser

struct RoleOptions: ParsableArguments {
  @Option(
    "--role <role>", "Role of the sender of the streams: auto, \(Self.names).", completion: .names(["auto"] + Self.all))
  var role = Self.detected

  @Option(
    name: .customShort("d"),
    help: .rare("Decode a port as push or feedback: -d tcp.port==2295,push.", valueName: "rule"),
    transform: Self.service)
  var services: [(UInt16, RolePolicy.Service)] = []

  @Flag(
    name: .customLong("no-recover"),
    help: .rare("Trust every length field. By default a length is overruled if valid frames start inside it."))
  var trustsLengths = false

  @OptionGroup var frames: FramesOption

  private static let detected = "auto"
  /// The names of the roles of the standard catalog, which a file of frame types may add to.
  static let all = Catalog.standard.roles.map(Catalog.standard.name(of:))
  static let names = listed(all)

  func settings(
    _ definitions: Definitions, _ rules: RulePolicy = RulePolicy()
  ) throws(Failure) -> StreamSettings {
    let policy = RolePolicy(
      role: role == Self.detected ? nil : try definitions.catalog.role(role),
      ports: Dictionary(services, uniquingKeysWith: { $1 }))
    return StreamSettings(
      definitions: definitions, roles: policy, recovers: !trustsLengths, rules: rules, frameFlags: frames.flags)
  }

  /// Parses tshark's syntax: `tcp.port==2195,push`.
  private static func service(_ argument: String) throws -> (UInt16, RolePolicy.Service) {
    let halves = argument.split(separator: ",")
    guard halves.count == 2, halves[0].hasPrefix("tcp.port=="), let port = UInt16(halves[0].dropFirst(10)),
      let service = RolePolicy.Service(rawValue: String(halves[1]))
    else {
      let port = UInt16(argument.filter(\.isNumber)) ?? 2195
      throw ValidationError("write it as -d tcp.port==\(port),push or -d tcp.port==\(port),feedback")
    }
    return (port, service)
  }
}

/// How streams are read and judged: what options say, with names resolved.
struct StreamSettings {
  let definitions: Definitions
  var roles = RolePolicy()
  /// Whether a length is overruled if valid frames start inside it.
  var recovers = true
  var rules = RulePolicy()
  /// The options that add frame types, which every command needs.
  var frameFlags: [String] = []
  /// The ports that a command need not name.
  var usualPorts: [UInt16: RolePolicy.Service] = [:]

  var catalog: Catalog { definitions.catalog }

  /// The options with the same effect, for commands that users can paste.
  var flags: [String] {
    var flags = roles.role.map { ["--role", catalog.name(of: $0)] } ?? []
    flags += frameFlags
    for (port, service) in roles.ports.sorted(by: { $0.key < $1.key }) where usualPorts[port] != service {
      flags += ["-d", "tcp.port==\(port),\(service.rawValue)"]
    }
    if !recovers { flags.append("--no-recover") }
    if rules.edition != EditionOption.usual { flags += ["--edition", String(rules.edition.rawValue)] }
    for rule in rules.only.sorted() { flags += ["--rule", rule] }
    for rule in rules.ignored.sorted() { flags += ["--ignore", rule] }
    for (rule, severity) in rules.severities.sorted(by: { $0.key < $1.key }) {
      flags += ["--severity", "\(rule)=\(severity.rawValue)"]
    }
    return flags
  }

  func dissector<Records: RecordSink & ~Copyable>(
    counting: Counting? = nil, into records: consuming Records
  ) -> Dissector<Records> {
    Dissector(definitions, policy: roles, rules: rules, recovers: recovers, counting: counting, into: records)
  }
}

extension Catalog {
  func role(_ name: String) throws(Failure) -> StreamRole {
    if let role = roles.first(where: { self.name(of: $0) == name }) { return role }
    throw .usage("--role \(name): unknown role; the roles are \(roles.map(self.name(of:)).joined(separator: ", "))")
  }
}
