extension Collection<UInt8> {
  /// Whether `characters` are these bytes as a dump shows them. Spaces may have been lost or added; tcpdump shows them
  /// as dots. A delimiter may enclose the characters.
  func areShown(by characters: ArraySlice<UInt8>) -> Bool {
    var characters = characters.drop { $0.isWhite }
    while characters.last?.isWhite == true { characters.removeLast() }
    let body = "|>#".utf8.contains(characters.first ?? 0) ? characters.dropFirst() : characters
    var forms = [characters, body]
    if let last = characters.last, "|<#".utf8.contains(last) { forms += [characters.dropLast(), body.dropLast()] }
    let spaces = contains(UInt8(ascii: " ")) ? [nil, UInt8(ascii: ".")] : [nil]
    return forms.contains { form in spaces.contains { areShown(by: form, $0) } }
  }

  /// - Parameter space: The character that shows a space; nil if spaces are not compared.
  private func areShown(by characters: ArraySlice<UInt8>, _ space: UInt8?) -> Bool {
    var rest = characters
    for value in self where space != nil || value != UInt8(ascii: " ") {
      rest = rest.drop { $0.isWhite }
      let before = rest
      let shown = rest.popFirst() ?? UInt8(ascii: " ")
      if value.isPrintable, value != UInt8(ascii: " ") {
        guard shown == value else { return false }
      } else if value == 0xa0 || value == 0xad, shown != UInt8(ascii: "."), shown < 0x80 {
        // A no-break blank, or a soft hyphen.
        rest = before
      } else {
        // A dot shows an unprintable byte, or its character in another encoding, perhaps as ASCII.
        let isOther = shown >= 0x80 || shown == asciiOfWindows1252[value]
        guard shown == UInt8(ascii: ".") || isOther else { return false }
        if shown >= 0xc0 { rest = rest.drop { $0 & 0xc0 == 0x80 } }
      }
    }
    return rest.allSatisfy { $0.isWhite }
  }
}

/// What ``ASCIINormalizer`` makes of the quotes and the dash of Windows-1252.
private let asciiOfWindows1252: [UInt8: UInt8] = [
  0x82: 0x27, 0x84: 0x22, 0x91: 0x27, 0x92: 0x27, 0x93: 0x22, 0x94: 0x22, 0x96: 0x2d,
]

extension ReadError {
  static func missingLength(at position: TextPosition) -> ReadError {
    ReadError(
      .cutText,
      "the last line of the dump, with its length, is missing, so the last byte may be padding or cut; paste that line "
        + "too",
      position: position)
  }
}
