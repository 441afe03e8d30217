import APNSGateway
import Octets

/// Parses the rules of options.
package enum BehaviorRule {
  /// Parses `token=HEX:STATUS` or `every=COUNT:STATUS`.
  package static func rejection(_ text: String) throws -> Behavior.Rule {
    let parts = text.split(separator: ":").map { $0.split(separator: "=") }
    guard parts.map(\.count) == [2, 1], let status = UInt8(parts[1][0]), status > 0,
      let trigger = trigger(parts[0][0], parts[0][1])
    else { throw BehaviorError() }
    return Behavior.Rule(trigger, .reject(status))
  }

  private static func trigger(_ name: Substring, _ value: Substring) -> Behavior.Trigger? {
    switch name {
    case "token": [UInt8](hexDigits: Array(value.utf8)).map { .token($0) }
    case "every": Int(value).flatMap { $0 > 0 ? .every($0) : nil }
    default: nil
    }
  }

  private struct BehaviorError: Error, CustomStringConvertible {
    var description: String { "write it as token=HEX:STATUS or every=COUNT:STATUS, such as every=100:8" }
  }
}
