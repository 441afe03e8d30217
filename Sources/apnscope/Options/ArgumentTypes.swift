import APNSServer
import APNSTool
import APNSWire
import ArgumentParser

// Makes the named values of APNSTool available as option values.

extension ViewFormat: ExpressibleByArgument {}
extension CheckFormat: ExpressibleByArgument {}
extension DialogueFormat: ExpressibleByArgument {}
extension Emission: ExpressibleByArgument {}
extension EncodeFormat: ExpressibleByArgument {}
extension CaseFormat: ExpressibleByArgument {}
extension RedactFormat: ExpressibleByArgument {}
extension DiffFormat: ExpressibleByArgument {}
extension InputFormat: ExpressibleByArgument {}
extension Damage: ExpressibleByArgument {}
extension FailOn: ExpressibleByArgument {}
extension ColorMode: ExpressibleByArgument {}
extension ExportKind: ExpressibleByArgument {}

extension ServerTLS.Version: ExpressibleByArgument {}

extension ListenAddress: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

extension Edition: ExpressibleByArgument {
  public init?(argument: String) {
    guard let year = Int(argument), let edition = Edition(rawValue: year) else { return nil }
    self = edition
  }

  public static var allValueStrings: [String] { allCases.map { String($0.rawValue) } }
}

extension StreamRole: ExpressibleByArgument {
  public init?(argument: String) {
    guard let role = protocolDefinitions.catalog.roleNames.first(where: { $0.value == argument }) else { return nil }
    self = role.key
  }

  public var defaultValueDescription: String { name }
  public static var allValueStrings: [String] { protocolDefinitions.catalog.roles.map(\.name) }
}

/// `auto` or a role of the catalog.
struct RoleChoice: ExpressibleByArgument, CustomStringConvertible {
  let role: StreamRole?

  init?(argument: String) {
    role = StreamRole(argument: argument)
    if role == nil, argument != "auto" { return nil }
  }

  static let auto = RoleChoice()
  private init() { role = nil }

  var description: String { role?.name ?? "auto" }
  var defaultValueDescription: String { description }
  static var allValueStrings: [String] { ["auto"] + StreamRole.allValueStrings }
}
