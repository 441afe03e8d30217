import Octets

// How cases are written down.
extension TestCase {
  /// Its bytes as digits.
  public var hexText: String { bytes.hexDigits }

  /// `000012-truncated-at-token.bin`: in the order of the cases.
  public var fileName: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "-" + label.mutator + ".bin"
  }
}
