/// What may surround or damage a value.
enum ValueFault: Int, Sendable, CaseIterable {
  case paddingAfter, paddingBefore, twice, textAround
  case byteLost, bytesLost, byteAdded, bytesAdded, replaced, replacedAfterwards

  var row: FaultRow<[UInt8]> { Self.rows[rawValue] }

  private static let rows: [FaultRow<[UInt8]>] = allCases.map { fault in
    switch fault {
    case .paddingAfter: FaultRow(9, "padding after %") { $0 + [0, 0, 0, 0] }
    case .paddingBefore: FaultRow(9, "padding before %") { [0, 0, 0, 0] + $0 }
    case .twice: FaultRow(8, "% twice") { $0 + $0 }
    case .textAround: FaultRow(9, "% in other text") { Array("token=\($0.hexDigits)".utf8) }
    case .byteLost: FaultRow(14, "a byte of % lost") { $0.dropLast() }
    case .bytesLost: FaultRow(14, "bytes of % lost") { $0.dropLast(2) }
    case .byteAdded: FaultRow(14, "a byte added to %") { $0 + [0x5a] }
    case .bytesAdded: FaultRow(14, "bytes added to %") { $0 + [0x5a, 0x3c] }
    case .replaced: FaultRow(9, replacement) { Array(String(decoding: $0, as: UTF8.self).utf8) }
    case .replacedAfterwards: FaultRow(9, replacement) { $0 }
    }
  }
  private static let replacement = "U+FFFD in % in place of bytes that are not UTF-8"

  /// Whether the length does not count the fault.
  var isUncounted: Bool { [.byteLost, .bytesLost, .byteAdded, .bytesAdded].contains(self) }
}

/// How the number of an item may be written.
enum ItemNumbers: Int, Sendable, CaseIterable {
  case fromZero, digits, fromTwo, twoBytes, fourBytes, otherwise, afterLength

  var row: FaultRow<[UInt8]> { Self.rows[rawValue] }

  private static let rows: [FaultRow<[UInt8]>] = allCases.map { way in
    switch way {
    case .fromZero: FaultRow(8, "items numbered from 0") { [$0[0] - 1] }
    case .digits: FaultRow(8, "item numbers as ASCII digits") { [$0[0] + 0x30] }
    case .fromTwo: FaultRow(9, "items numbered from 2") { [$0[0] + 1] }
    case .twoBytes: FaultRow(9, "item numbers in 2 bytes") { [0] + $0 }
    case .fourBytes: FaultRow(9, "item numbers in 4 bytes") { [0, 0, 0] + $0 }
    case .otherwise: FaultRow(13, "other item numbers") { [$0[0] + 0x40] }
    case .afterLength: FaultRow(9, "item numbers after the lengths") { $0 }
    }
  }
}

/// A way to write a value in place of the documented one.
struct FaultRow<Value>: Sendable {
  /// In bits.
  let price: Int
  private let pattern: String
  /// The bytes; nil if they do not say the value.
  let write: @Sendable (_ value: Value) -> [UInt8]?

  /// - Parameter words: what the sender writes, as the object of a sentence; `%` is the value.
  init(_ price: Int, _ words: String, write: @escaping @Sendable (Value) -> [UInt8]?) {
    (self.price, pattern, self.write) = (price, words, write)
  }

  func words(_ value: String) -> String { pattern.replacing("%", with: value) }
}
