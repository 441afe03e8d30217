import APNSGateway
import Octets

/// Parses the rules of options.
package enum BehaviorRule {
  /// Parses `token=HEX:STATUS` or `every=COUNT:STATUS`.
  package static func rejection(_ text: String) throws -> Behavior.Rule {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      .map { $0.split(separator: "=", omittingEmptySubsequences: false) }
    guard parts.map(\.count) == [2, 1] else { throw BehaviorError(form) }
    guard let status = UInt8(parts[1][0]), status > 0 else { throw BehaviorError("the status must be 1 to 255") }
    return Behavior.Rule(try trigger(parts[0][0], parts[0][1]), .reject(status))
  }

  private static let form = "write it as token=HEX:STATUS or every=COUNT:STATUS, such as every=100:8"

  private static func trigger(_ name: Substring, _ value: Substring) throws -> Behavior.Trigger {
    switch name {
    case "token":
      guard let token = [UInt8](hexDigits: Array(value.utf8)) else {
        throw BehaviorError("the token must be pairs of hex digits")
      }
      return .token(token)
    case "every":
      guard let count = Int(value), count > 0 else { throw BehaviorError("the count must be 1 to \(Int.max)") }
      return .every(count)
    default: throw BehaviorError(form)
    }
  }

  private struct BehaviorError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}
