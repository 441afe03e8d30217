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

extension Edition: ExpressibleByArgument {
  public init?(argument: String) {
    guard let year = Int(argument), let edition = Edition(rawValue: year) else { return nil }
    self = edition
  }

  public static var allValueStrings: [String] { allCases.map { String($0.rawValue) } }
}

/// The name of a role. A file of frame types may add roles, so the name is resolved when these are loaded.
struct RoleName: ExpressibleByArgument {
  let name: String

  init(argument: String) { name = argument }

  static let provider = RoleName(argument: "provider")

  func role() throws(Failure) -> StreamRole {
    let roles = protocolDefinitions.catalog.roles
    if let role = roles.first(where: { $0.name == name }) { return role }
    throw .usage("--role \(name): unknown role; the roles are \(roles.map(\.name).joined(separator: ", "))")
  }

  var defaultValueDescription: String { name }
  static var allValueStrings: [String] { protocolDefinitions.catalog.roles.map(\.name) }
}

/// `auto`, or the name of a role.
struct RoleChoice: ExpressibleByArgument {
  private let chosen: RoleName

  init(argument: String) { chosen = RoleName(argument: argument) }

  static let auto = RoleChoice(argument: "auto")

  var name: String { chosen.name }
  var isAuto: Bool { name == Self.auto.name }

  /// Nil for `auto`.
  func role() throws(Failure) -> StreamRole? { isAuto ? nil : try chosen.role() }

  var defaultValueDescription: String { name }
  static var allValueStrings: [String] { [auto.name] + RoleName.allValueStrings }
}
