import Octets

/// `0x0f`.
package func hex(_ byte: UInt8) -> String { "0x" + byte.hexDigits }

/// `00 3e`: a number as it is written to the wire.
package func wireBytes(_ value: Int, width: Int) -> String {
  [UInt8](bigEndian: UInt64(truncatingIfNeeded: value), width: width).map(\.hexDigits).joined(separator: " ")
}

/// `1 day`, `2 hours 30 minutes`: so many seconds in their two largest units.
package func duration(_ seconds: Int) -> String {
  var rest = max(seconds, 0)
  var parts: [String] = []
  for (unit, name) in [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")] {
    if rest >= unit { parts.append(plural(rest / unit, name)) } else if !parts.isEmpty { break }
    rest %= unit
    if parts.count == 2 { break }
  }
  return parts.isEmpty ? "0 seconds" : parts.joined(separator: " ")
}
