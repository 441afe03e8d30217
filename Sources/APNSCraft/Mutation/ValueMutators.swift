import APNSDiagnosis
import APNSWire
import Octets

/// Values of the fields that rules know by name: sizes, times, numbers.
func valueMutators(of schema: FrameSchema) -> [Mutator] {
  schema.paths.flatMap { target -> [Mutator] in
    switch target.field?.role {
    case .token: tokenMutators(target)
    case .payload: sizeMutators(target)
    case .expiry: expiryMutators(target)
    case .priority:
      [
        number(target, "value", .priorityValue, "the priority is neither 5 nor 10") { chance, _ in
          UInt64(chance.pick(Array(0...4) + Array(6...9) + Array(11...255)))
        }
      ]
    case .identifier: identifierMutators(target)
    case .status: statusMutators(target)
    case .timestamp: timestampMutators(target)
    default: []
    }
  }
}

private func number(
  _ target: FieldPath, _ name: String, _ rule: Rule.ID, _ title: String,
  _ value: @escaping @Sendable (_ chance: inout Chance, _ edition: Edition) -> UInt64?
) -> Mutator {
  Mutator("\(name)-of-\(target.name)", title, rule: rule, of: target.schema) { bench in
    value(&bench.maker.chance, bench.edition).flatMap { bench.number(at: target, becomes: $0) }
  }
}

// Tokens.

private func tokenMutators(_ target: FieldPath) -> [Mutator] {
  let isSent = target.schema.role == .provider
  func token(
    _ name: String, _ rule: Rule.ID, _ title: String,
    _ make: @escaping @Sendable (_ old: [UInt8], _ bench: inout Bench) -> ([UInt8], Finding.Severity?, Refusal?)?
  ) -> Mutator {
    Mutator("\(name)-\(target.name)", title, rule: rule, of: target.schema) { bench in
      guard let old = try bench.frame.octets(at: target), let (value, severity, refusal) = make(old, &bench),
        value != old
      else { return nil }
      bench.frame[target] = .octets(value)
      return Change(
        sentence: "the \(target.title) was changed from \(shown(old)) to \(shown(value)): \(title)",
        severity: severity,
        refusal: refusal)
    }
  }
  /// A token of a size that the edition refuses is refused for its size, before it is looked up.
  @Sendable func weight(_ count: Int, _ bench: Bench) -> (Finding.Severity, Refusal) {
    (
      isSent ? .error : .warning,
      !bench.edition.limitsTokens || bench.edition.tokenSizes.contains(count) ? .status(8) : .status(5)
    )
  }
  return [
    token("empty", .emptyToken, "the token is empty") { _, _ in ([], isSent ? .error : .warning, nil) },
    token("zero", .tokenAllZero, "the token is all zeros") { old, bench in
      let (severity, refusal) = weight(old.count, bench)
      return ([UInt8](repeating: 0, count: old.count), severity, refusal)
    },
    token(
      "hex-text", .tokenAsHexText, "the token is its own hex digits as text"
    ) { old, bench in
      let text = digits(old, upper: bench.maker.chance.one(in: 30))
      let (severity, refusal) = weight(text.count, bench)
      return (text, severity, refusal)
    },
    token("description", .tokenAsDescription, "the token is its description as text") { old, bench in
      let groups = stride(from: 0, to: old.count, by: 4).map {
        old[$0..<min($0 + 4, old.count)].hexDigits
      }
      let text = bench.maker.chance.pick([
        "<" + groups.joined(separator: " ") + ">", "(null)",
        "{length = \(old.count), bytes = 0x" + groups.prefix(2).joined(separator: " ") + " ... "
          + groups.suffix(2).joined(separator: " ") + " }",
      ])
      let (severity, refusal) = weight(text.utf8.count, bench)
      return (Array(text.utf8), severity, refusal)
    },
    token("size-of", .tokenLength, "the token has an invalid size") { _, bench in
      let allowed = target.schema.tokenSizes(in: bench.edition)
      let count = bench.maker.chance.pick((Array(1...101) + [128, 200]).filter { !allowed.contains($0) })
      return (bench.maker.token(count), isSent && bench.edition.limitsTokens ? .error : .warning, nil)
    },
    token("padded", .tokenPadded, "the token is padded with zeros") { old, bench in
      guard old.count == 32 else { return nil }
      let zeros = bench.maker.chance.number(8...24)
      return (bench.maker.token(32 - zeros) + [UInt8](repeating: 0, count: zeros), nil, nil)
    },
  ]
}

/// Its first bytes, and how many there are.
private func shown(_ bytes: [UInt8]) -> String {
  guard !bytes.isEmpty else { return "0 bytes" }
  let head = bytes.prefix(4).hexDigits
  return "\(head)\(bytes.count > 4 ? "..." : "") (\(plural(bytes.count, "byte")))"
}

/// Two hexadecimal digits for each byte.
func digits(_ bytes: [UInt8], upper: Bool) -> [UInt8] {
  Array((upper ? bytes.hexDigits.uppercased() : bytes.hexDigits).utf8)
}

// Payloads.

private func sizeMutators(_ target: FieldPath) -> [Mutator] {
  [
    Mutator("empty-\(target.name)", "the payload has no bytes", rule: .emptyPayload, of: target.schema) { bench in
      guard let old = bench.frame.size(of: target), old > 0 else { return nil }
      bench.frame[target] = .octets([])
      return Change(sentence: "the \(target.title) was changed from \(old) bytes to 0")
    },
    Mutator(
      "too-long-\(target.name)", "the payload is longer than allowed", rule: .payloadTooLong,
      of: target.schema
    ) { bench in
      let most = bench.edition.mostPayload
      let isUnusual = !target.isItem && most > 256 && bench.maker.chance.one(in: 50)
      let over = bench.maker.chance.one(in: 40) ? 1 : bench.maker.chance.number(1...1000)
      let allowed = isUnusual ? 256 : most
      return bench.replace(target, by: bench.maker.payload(size: allowed + over)).map {
        Change(sentence: "\($0); at most \(allowed) are allowed", severity: isUnusual ? .warning : .error)
      }
    },
  ]
}

// Numbers.

private func expiryMutators(_ target: FieldPath) -> [Mutator] {
  [
    number(target, "zero", .expiryZero, "the expiry is 0") { _, _ in 0 },
    number(target, "lifetime", .expiryRelative, "the expiry is a lifetime, not a time") { chance, _ in
      chance.one(in: 50)
        ? chance.pick([1, 60, 3600, 86_400, 604_800, 2_419_200]) : UInt64(chance.number(17...333_333)) * 60
    },
    number(target, "milliseconds", .expiryMilliseconds, "the expiry is the upper 4 bytes of a time in milliseconds") {
      chance, _ in
      chance.pick((0x140...0x18f as ClosedRange<UInt64>).filter { !$0.isMultiple(of: 30) })
    },
    // Beyond 2038, so that it cannot be meant as it is written.
    number(target, "host-order", .expiryByteSwapped, "the expiry is in host byte order") { chance, _ in
      UInt64((UInt32(chance.number(1_300_000_000...1_600_000_000)) | 0x80).byteSwapped)
    },
    number(target, "other-form", .expiryOtherForm, "the expiry is a time in another format") { chance, _ in
      switch chance.number(1...3) {
      case 1: UInt64(chance.number(2010...2020) * 10_000 + chance.number(1...12) * 100 + chance.number(1...28))
      case 2: UInt64(chance.number(366_667...433_333) * 60 + 7)
      // Since 2001; with a last byte that no time begins with.
      default: UInt64(chance.number(300_000_000...600_000_000)) & ~0xff
      }
    },
    number(target, "past", .expiryPast, "the expiry is before the service began") { chance, _ in
      UInt64(chance.number(2_800_000...4_800_000)) << 8
    },
    number(target, "overflow", .expiryOverflow, "the expiry is -1") { _, _ in 0xffff_ffff },
    number(target, "maximum", .expiryMaximum, "the expiry is the largest signed 32-bit number") { _, _ in 0x7fff_ffff
    },
  ]
}

private func identifierMutators(_ target: FieldPath) -> [Mutator] {
  guard target.schema.role == .provider else { return [] }
  var all = [
    number(target, "zero", .identifierZero, "the identifier is 0") { _, _ in 0 },
    // 1234 of Apple's own listing, as it lies in memory.
    number(target, "byte-swapped", .identifierByteSwapped, "the identifier is 1234 in little-endian order") {
      _, _ in
      0xd204_0000
    },
    Mutator(
      "repeated-\(target.name)", "the identifier is the same as in the preceding frame", rule: .identifierRepeated,
      of: target.schema
    ) { bench in
      guard let front = bench.company(),
        let before = front.schema.path(of: .identifier),
        case .integer(let value)? = front[before], case .integer(let old)? = bench.frame[target]
      else { return nil }
      bench.front = [front]
      bench.frame[target] = .integer(value)
      return Change(
        sentence: "the \(target.title) was changed from \(old) to \(value), as in the preceding frame")
    },
  ]
  if target.isItem {
    all.append(
      Mutator(
        "without-\(target.name)", "the notification has no identifier", rule: .identifierMissing, of: target.schema
      ) { bench in
        guard case .integer(let old)? = bench.frame[target], bench.edition >= ErrorResponse.schema.since else {
          return nil
        }
        bench.frame[target] = nil
        return Change(sentence: "item \(target.item?.id.rawValue ?? 0) (\(target.title) \(old)) was removed")
      })
  }
  return all
}

private func statusMutators(_ target: FieldPath) -> [Mutator] {
  [
    number(target, "zero", .statusZero, "the status says that there is no error") { _, _ in 0 },
    number(target, "shutdown", .statusShutdown, "the service shuts down") { _, edition in
      edition >= .year2013 ? 10 : nil
    },
    number(target, "later", .statusNewerThanEdition, "the status is from a later edition") { chance, edition in
      let later = ErrorResponse.statuses.filter { $0.since > edition && $0.code != 10 }
      return later.isEmpty ? nil : UInt64(chance.pick(later).code)
    },
    number(target, "unknown", .statusNotDocumented, "the status is not in any edition") { chance, _ in
      UInt64(chance.pick((UInt8.min...0xff).filter { code in !ErrorResponse.statuses.contains { $0.code == code } }))
    },
  ]
}

private func timestampMutators(_ target: FieldPath) -> [Mutator] {
  [
    number(target, "time", .feedbackTime, "the time is before the service began, or negative") { chance, _ in
      UInt64(chance.pick([chance.number(1...(Catalog.serviceBegan - 1)), chance.number(0x8000_0000...0xffff_ffff)]))
    },
    Mutator(
      "shifted-\(target.name)", "the first byte of the tuple is missing", rule: .feedbackShifted, of: target.schema
    ) { bench in
      let bytes = try bench.frame.bytes()
      guard target.schema.command == nil, bytes.number(at: 4, width: 2) == 32 else { return nil }
      return Change(
        sentence: "the first byte of the tuple was removed: \(bytes.count) bytes became \(bytes.count - 1)",
        follows: [.truncated], bytes: Array(bytes.dropFirst()))
    },
  ]
}
