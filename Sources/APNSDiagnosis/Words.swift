import Octets

/// The byte in hexadecimal, such as `0x0f`.
package func hex(_ byte: UInt8) -> String { "0x" + byte.hexDigits }

/// A number of bytes and its verb: `1 byte follows`.
package func bytesFollow(_ count: Int) -> String { "\(plural(count, "byte")) follow\(count == 1 ? "s" : "")" }

/// The bytes of a number as they appear on the wire, such as `00 3e`.
package func wireBytes(_ value: Int, width: Int) -> String {
  [UInt8](bigEndian: UInt64(truncatingIfNeeded: value), width: width).map(\.hexDigits).joined(separator: " ")
}

/// A duration in its two largest units, such as `1 day` or `2 hours 30 minutes`.
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
