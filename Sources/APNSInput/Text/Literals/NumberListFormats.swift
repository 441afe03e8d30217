import Octets

extension TextFormat {
  /// A list of numbers with a prefix, as a program writes it: `0x08, 0xd2`.
  public static let c = TextFormat(
    "c", "list of 0x values, or of mixed numbers, as a program writes it (xxd -i, Java, Kotlin, Rust, assembler)",
    recognises: { NumberList.recognisesMarked($0) },
    decoder: { NumberList.decoder($0, isDecimal: false) })

  /// A list of decimal numbers, one for each byte.
  public static let decimal = TextFormat(
    "decimal", "list of decimal bytes ([2, 0, 78], {2, -76}, Go's [2 0 78], Erlang's <<2,0,78>>, Array(2, 0, 78))",
    recognises: { NumberList.recognisesDecimal($0) }, ambiguity: { NumberList.ambiguity($0) },
    decoder: { NumberList.decoder($0, isDecimal: true) })
}

extension NumberList {
  static func decoder(_ head: TextHead, isDecimal: Bool) -> some TextDecoder {
    ProgramText(NumberList(isDecimal: isDecimal, isBare: find(in: head)?.isBare ?? true))
  }

  /// More than one `0x` value, or one too short to be a hex string; or numbers that state their type or base.
  static func recognisesMarked(_ head: TextHead) -> Bool {
    let text = Array(head.lines.joined(separator: [UInt8(ascii: "\n")]))
    let values = text.indices.dropLast(2).filter { index in
      text[index] == UInt8(ascii: "0") && text[index + 1] | 0x20 == UInt8(ascii: "x")
        && text[index + 2].hexDigitValue != nil && (index == 0 || !"\"'".utf8.contains(text[index - 1]))
    }
    if let value = values.first {
      let digits = text[(value + 2)...].prefix { $0.hexDigitValue != nil }
      return values.count > 1 || digits.count <= 2
    }
    return find(in: head).map { $0.marked > 1 } ?? false
  }

  /// Decimal numbers in brackets; without brackets, only if they cannot be hex.
  static func recognisesDecimal(_ head: TextHead) -> Bool {
    guard let list = find(in: head), list.marked == 0 else { return false }
    guard list.isBare else { return list.bare.count > 1 }
    return list.bare.count >= 8 && list.bare.contains { $0.value > 99 } && list.bare.contains { $0.digits % 2 == 1 }
  }

  static func ambiguity(_ head: TextHead) -> String? {
    guard let list = find(in: head), list.marked == 0 else { return nil }
    if list.isBare {
      guard list.bare.count >= 8, list.bare.contains(where: { $0.digits == 1 }),
        list.bare.allSatisfy({ $0.value <= 99 && !$0.hasLeadingZero })
      else { return nil }
      return "these numbers may be decimal, or hex without leading zeros; use --from decimal, or write 08 for 8"
    }
    guard list.bare.contains(where: \.hasLeadingZero), list.bare.allSatisfy({ $0.digits == 2 }) else { return nil }
    return
      "these numbers may be decimal or hex, because each has two digits; use --from decimal, or remove the brackets "
      + "for hex"
  }

  private static func find(in head: TextHead) -> NumberList? {
    read(head, isBare: false) ?? read(head, isBare: true)
  }

  /// The list in the head of a text; nil if there is none, or if it has an error near its beginning.
  private static func read(_ head: TextHead, isBare: Bool) -> NumberList? {
    var program = ProgramText(NumberList(isDecimal: true, isBare: isBare))
    var output = TextOutput()
    do throws(ReadError) {
      for line in head.lines { try program.decode(TextLine(Array(line)), into: &output) }
      if head.isWhole { try program.finish(at: TextPosition(line: 1, column: 1), into: &output) }
    } catch {
      let list = program.reader
      let isNamed = error.code == .lossyText || list.hasTooLarge || list.marked + list.bare.count >= 16
      return list.hasList && isNamed ? list : nil
    }
    return program.reader.hasList ? program.reader : nil
  }
}
