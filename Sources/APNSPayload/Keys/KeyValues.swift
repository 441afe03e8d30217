import Octets

extension PayloadKey {
  /// A fault in a key's value.
  package enum Fault: Sendable, Hashable {
    /// The value does not have one of the documented types.
    case type
    /// The type is documented, but the value is not allowed.
    case value
    /// The array's element at this index has an undocumented type: its kind and its range.
    case element(Int, PayloadOutline.Kind, Range<Int>)
  }

  /// Finds the fault in `value` as the value of this key; nil if it is valid.
  ///
  /// - Parameters:
  ///   - value: a value of the outline.
  ///   - bytes: the bytes from which the outline was read.
  package func fault(in value: PayloadOutline.Value, _ bytes: Span<UInt8>) -> Fault? {
    types.contains(value.kind) ? allowed.fault(in: value, bytes) : .type
  }
}

extension PayloadKey.Allowed {
  /// Finds the fault in a value of a documented type; nil if it is valid.
  func fault(in value: PayloadOutline.Value, _ bytes: Span<UInt8>) -> PayloadKey.Fault? {
    switch self {
    case .any: return nil
    case .strings: return value.kind == .array ? bytes.firstNonString(in: value.range) : nil
    case .soundFile:
      return value.kind != .string || bytes.unplayableExtension(ofString: value.range) == nil ? nil : .value
    case .numbers(let numbers):
      guard value.kind == .number else { return nil }
      let number = bytes.number(value.range)
      return numbers.contains { Double($0) == number } ? nil : .value
    case .count:
      guard value.kind == .number else { return nil }
      let number = bytes.number(value.range)
      return number >= 0 && number.isFinite && number.rounded() == number ? nil : .value
    }
  }
}

extension PayloadKey {
  /// Extensions of audio formats that system sounds cannot play. The guide allows aiff, wav and caf.
  fileprivate static let unplayableSounds = [
    "mp3", "mp4", "m4a", "m4r", "aac", "ogg", "oga", "opus", "flac", "wma", "amr", "mid", "midi",
  ].map(\.utf8.bigEndianNumber)
}

extension Span<UInt8> {
  fileprivate func number(_ range: Range<Int>) -> Double {
    if range.count <= 15, range.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= self[$0] }) {
      return Double(range.reduce(0) { $0 * 10 + Int(self[$1] & 0x0f) })
    }
    // Swift parses every number that JSON allows.
    return Double(String(decoding: range.map { self[$0] }, as: UTF8.self)) ?? .nan
  }

  /// The range of a file name's extension, dot included, if it names an audio format that system sounds cannot play.
  /// Returns nil for names with an unknown extension or none, because these can be of any format. `range` includes the
  /// string's quotes.
  package func unplayableExtension(ofString range: Range<Int>) -> Range<Int>? {
    let end = range.upperBound - 1
    guard let dot = (range.lowerBound..<end).suffix(6).last(where: { self[$0] == UInt8(ascii: ".") }) else {
      return nil
    }
    let letters = ((dot + 1)..<end).reduce(0) { $0 << 8 | UInt64(self[$1] | 0x20) }
    return PayloadKey.unplayableSounds.contains(letters) ? dot..<end : nil
  }

  fileprivate func firstNonString(in array: Range<Int>) -> PayloadKey.Fault? {
    var scanner = JSONScanner(array)
    var index = -1
    while let token = try? scanner.next(in: self) {
      guard token.depth == 1, token.kind != .endObject, token.kind != .endArray else { continue }
      index += 1
      if token.kind != .string { return .element(index, PayloadOutline.Kind(token.kind), token.range) }
    }
    return nil
  }
}

extension PayloadOutline.Kind {
  /// The kind of a value that begins with this token.
  init(_ kind: JSONScanner.Kind) {
    self =
      switch kind {
      case .beginObject, .endObject: .object
      case .beginArray, .endArray: .array
      case .key, .string: .string
      case .number: .number
      case .true, .false: .bool
      case .null: .null
      }
  }
}
