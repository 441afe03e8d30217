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

extension Edition: ExpressibleByArgument {
  public init?(argument: String) {
    guard let year = Int(argument), let edition = Edition(rawValue: year) else { return nil }
    self = edition
  }

  public static var allValueStrings: [String] { allCases.map { String($0.rawValue) } }
}

/// `auto`, or the name of a role. A file of frame types may add roles, so the name is resolved when these are loaded.
struct RoleChoice: ExpressibleByArgument {
  let name: String

  init(argument: String) { name = argument }

  static let auto = RoleChoice(argument: "auto")
  static let provider = RoleChoice(argument: "provider")

  var isAuto: Bool { name == Self.auto.name }

  /// Nil for `auto`.
  func role() throws(Failure) -> StreamRole? {
    if isAuto { return nil }
    let catalog = protocolDefinitions.catalog
    if let role = catalog.roles.first(where: { $0.name == name }) { return role }
    let names = [Self.auto.name] + catalog.roles.map(\.name)
    throw .usage("--role \(name): unknown role; use \(names.joined(separator: ", "))")
  }

  var defaultValueDescription: String { name }
  static var allValueStrings: [String] { [auto.name] + protocolDefinitions.catalog.roles.map(\.name) }
}
