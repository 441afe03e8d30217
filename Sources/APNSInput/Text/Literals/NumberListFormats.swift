extension TextFormat {
  /// A list of numbers with a prefix, as a program writes it: `0x08, 0xd2`.
  public static let c = TextFormat(
    "c", "list of 0x values, or of mixed numbers, as a program writes it (xxd -i, Java, Kotlin, Rust, assembler)",
    layouts: { _ in NumberList.layouts(.marked) })

  /// A list of decimal numbers, one for each byte.
  public static let decimal = TextFormat(
    "decimal", "list of decimal bytes ([2, 0, 78], {2, -76}, Go's [2 0 78], Erlang's <<2,0,78>>, Array(2, 0, 78))",
    layouts: { _ in NumberList.layouts(.decimal) + NumberList.layouts(.octal) })
}

extension NumberList {
  /// How numbers without a prefix are read.
  enum Base { case marked, decimal, octal }

  fileprivate static func layouts(_ base: Base) -> [ProgramText] {
    [false, true].map { ProgramText(NumberList(base, isBare: $0)) }
  }

  var isPlausible: Bool {
    switch base {
    case .marked: return marked > 0
    case .octal: return !isBare && marked == 0 && bare.count { $0.hasLeadingZero } > 3
    case .decimal:
      guard marked == 0 else { return false }
      // Numbers without brackets may be hex.
      return isBare
        ? bare.count > 7 && (bare.contains { $0.value > 99 && $0.digits % 2 == 1 } || areShort) : bare.count > 1
    }
  }

  /// Whether all numbers may be hex without leading zeros.
  private var areShort: Bool {
    bare.contains { $0.digits == 1 } && bare.allSatisfy { $0.value <= 99 && !$0.hasLeadingZero }
  }

  var doubt: String? {
    guard base == .decimal else { return nil }
    if isBare, areShort {
      return "these numbers may be decimal, or hex without leading zeros; use --from decimal, or write 08 for 8"
    }
    guard bare.contains(where: \.hasLeadingZero), bare.allSatisfy({ $0.digits == 2 }) else { return nil }
    return
      "these numbers may be decimal or hex, because each has two digits; use --from decimal, or remove the brackets "
      + "for hex"
  }
}
