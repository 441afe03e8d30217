import Octets

extension TestCase {
  /// The bytes as hex digits.
  package var hexText: String { bytes.hexDigits }

  /// A file name such as `000012-truncated-at-token.bin`. File names sort in the order of the cases.
  package var fileName: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "-" + label.mutator + ".bin"
  }
}
