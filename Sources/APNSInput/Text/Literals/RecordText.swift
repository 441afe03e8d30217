import Octets

extension TextFormat {
  package static let records = TextFormat(
    "records", "Intel HEX records (:10000000...)", layouts: { _ in [RecordText()] })
}

/// Records with a count, an address, bytes and a checksum, as tools for memory chips write them.
///
///     :10000000080800000007...F2
///     :00000001FF
struct RecordText: TextDecoder {
  var output = TextOutput()
  private var records = 0
  private var isEnded = false
  /// The address of the next record.
  private var next: Int?

  var isPlausible: Bool { records > 0 }
  var isSure: Bool { records > 0 }

  mutating func decode(_ line: TextLine) throws(ReadError) {
    let text = line.text
    guard text[line.first] == UInt8(ascii: ":"), !isEnded else {
      throw line.notHex(at: line.first, "does not begin a record; each line begins with a colon")
    }
    let digits = text[(line.first + 1)...]
    if let wrong = digits.firstIndex(where: { $0.hexDigitValue == nil }) {
      throw line.notHex(at: wrong, "is not a hex digit; a record has only pairs of them")
    }
    guard let values = [UInt8](hexDigits: Array(digits)) else {
      throw .oddDigits(at: line.position(text.count - 1))
    }
    guard values.count >= 5, Int(values[0]) == values.count - 5, values.reduce(0, &+) == 0 else {
      let reason = "the length or checksum of this record is wrong; it was cut or edited"
      throw line.error(.contradictingOffset, at: line.first, reason)
    }
    records += 1
    switch values[3] {
    case 0:
      let address = Int(values[1]) << 8 | Int(values[2])
      guard next ?? address == address else {
        let reason = "this record does not continue the one above; a record is missing or was edited"
        throw line.error(.contradictingOffset, at: line.first, reason)
      }
      next = (address + values.count - 5) & 0xffff
      for (offset, value) in values[4..<(values.count - 1)].enumerated() {
        output.append(value, at: line.position(line.first + 9 + 2 * offset))
      }
    case 1:
      isEnded = true
      output.explain(line)
    default:
      // The upper half of the address.
      next = nil
      output.explain(line)
    }
  }

  mutating func finish(at position: TextPosition) throws(ReadError) {
    if records > 0, !isEnded { throw .cut("before the last record (:00000001FF)", at: position) }
  }
}
