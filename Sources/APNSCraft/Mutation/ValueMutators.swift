import APNSDiagnosis
import APNSWire
import Octets

/// Mutators for values of the fields that rules know by role: sizes, times and numbers.
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
  _ target: FieldPath, _ name: String, _ rule: Rule, _ title: String,
  _ value: @escaping @Sendable (_ chance: inout Chance, _ edition: Edition) -> UInt64?
) -> Mutator {
  Mutator("\(name)-of-\(target.name)", title, rule: rule, of: target.schema) { context in
    value(&context.maker.chance, context.edition).flatMap { context.number(at: target, becomes: $0) }
  }
}

// MARK: - Tokens

private func tokenMutators(_ target: FieldPath) -> [Mutator] {
  let isSent = target.schema.role == .provider
  func token(
    _ name: String, _ rule: Rule, _ title: String,
    _ make:
      @escaping @Sendable (_ old: [UInt8], _ context: inout MutationContext) -> ([UInt8], Finding.Severity?, Refusal?)?
  ) -> Mutator {
    Mutator("\(name)-\(target.name)", title, rule: rule, of: target.schema) { context in
      guard let old = try context.frame.octets(at: target), let (value, severity, refusal) = make(old, &context),
        value != old
      else { return nil }
      context.frame[target] = .octets(value)
      return Change(
        sentence: "the \(target.title) was changed from \(describe(old)) to \(describe(value)): \(title)",
        severity: severity,
        refusal: refusal)
    }
  }
  /// The severity and refusal of an invalid token: its size is checked before the token itself.
  @Sendable func severityAndRefusal(_ count: Int, _ context: MutationContext) -> (Finding.Severity, Refusal) {
    (
      isSent ? .error : .warning,
      !context.edition.limitsTokens || context.edition.tokenSizes.contains(count) ? .status(8) : .status(5)
    )
  }
  return [
    token("empty", .emptyToken, "the token is empty") { _, _ in ([], isSent ? .error : .warning, nil) },
    token("zero", .tokenAllZero, "the token is all zeros") { old, context in
      let (severity, refusal) = severityAndRefusal(old.count, context)
      return ([UInt8](repeating: 0, count: old.count), severity, refusal)
    },
    token(
      "hex-text", .tokenAsHexText, "the token is its own hex digits as text"
    ) { old, context in
      let text = digits(old, upper: context.maker.chance.percent(30))
      let (severity, refusal) = severityAndRefusal(text.count, context)
      return (text, severity, refusal)
    },
    token("description", .tokenAsDescription, "the token is its description as text") { old, context in
      let groups = stride(from: 0, to: old.count, by: 4).map {
        old[$0..<min($0 + 4, old.count)].hexDigits
      }
      let text = context.maker.chance.pick([
        "<" + groups.joined(separator: " ") + ">", "(null)",
        "{length = \(old.count), bytes = 0x" + groups.prefix(2).joined(separator: " ") + " ... "
          + groups.suffix(2).joined(separator: " ") + " }",
      ])
      let (severity, refusal) = severityAndRefusal(text.utf8.count, context)
      return (Array(text.utf8), severity, refusal)
    },
    token("size-of", .tokenLength, "the token has an invalid size") { _, context in
      let allowed = target.schema.tokenSizes(in: context.edition)
      let count = context.maker.chance.pick((Array(1...101) + [128, 200]).filter { !allowed.contains($0) })
      return (context.maker.token(count), isSent && context.edition.limitsTokens ? .error : .warning, nil)
    },
    token("padded", .tokenPadded, "the token is padded with zeros") { old, context in
      guard old.count == 32 else { return nil }
      let zeros = context.maker.chance.number(8...24)
      return (context.maker.token(32 - zeros) + [UInt8](repeating: 0, count: zeros), nil, nil)
    },
  ]
}

/// The first bytes and the size, in words.
private func describe(_ bytes: [UInt8]) -> String {
  guard !bytes.isEmpty else { return "0 bytes" }
  let head = bytes.prefix(4).hexDigits
  return "\(head)\(bytes.count > 4 ? "..." : "") (\(plural(bytes.count, "byte")))"
}

/// Two hexadecimal digits per byte.
func digits(_ bytes: [UInt8], upper: Bool) -> [UInt8] {
  Array((upper ? bytes.hexDigits.uppercased() : bytes.hexDigits).utf8)
}

// MARK: - Payloads

private func sizeMutators(_ target: FieldPath) -> [Mutator] {
  [
    Mutator("empty-\(target.name)", "the payload has no bytes", rule: .emptyPayload, of: target.schema) { context in
      guard let old = context.frame.size(of: target), old > 0 else { return nil }
      context.frame[target] = .octets([])
      return Change(sentence: "the \(target.title) was changed from \(old) bytes to 0")
    },
    Mutator(
      "too-long-\(target.name)", "the payload is longer than allowed", rule: .payloadTooLong,
      of: target.schema
    ) { context in
      let most = context.edition.maximumPayload
      let isUnusual = !target.isItem && most > 256 && context.maker.chance.percent(50)
      let over = context.maker.chance.percent(40) ? 1 : context.maker.chance.number(1...1000)
      let allowed = isUnusual ? 256 : most
      return context.replace(target, by: context.maker.payload(size: allowed + over)).map {
        Change(sentence: "\($0); at most \(allowed) are allowed", severity: isUnusual ? .warning : .error)
      }
    },
  ]
}

// MARK: - Numbers

private func expiryMutators(_ target: FieldPath) -> [Mutator] {
  [
    number(target, "zero", .expiryZero, "the expiry is 0") { _, _ in 0 },
    number(target, "lifetime", .expiryRelative, "the expiry is a lifetime, not a time") { chance, _ in
      chance.percent(50)
        ? chance.pick([1, 60, 3600, 86_400, 604_800, 2_419_200]) : UInt64(chance.number(17...1000)) * 60
    },
    number(target, "milliseconds", .expiryMilliseconds, "the expiry is the upper 4 bytes of a time in milliseconds") {
      chance, _ in
      chance.pick((0x140...0x18f as ClosedRange<UInt64>).filter { !$0.isMultiple(of: 30) })
    },
    // A time after 2038 if read as written, so that it must be swapped.
    number(target, "host-order", .expiryByteSwapped, "the expiry is in host byte order") { chance, _ in
      UInt64((UInt32(chance.number(1_300_000_000...1_600_000_000)) | 0x80).byteSwapped)
    },
    number(target, "other-form", .expiryOtherForm, "the expiry is a time in another format") { chance, _ in
      switch chance.number(1...3) {
      case 1: UInt64(chance.number(2010...2020) * 10_000 + chance.number(1...12) * 100 + chance.number(1...28))
      // A whole hour in minutes. As a lifetime, it would be no whole number of hours. Byte-swapped, it would be before
      // the service began or after 2030.
      case 2:
        (chance.number(6111...7222)...).lazy.map { UInt64($0 * 3600 + 420) }.first { !(0x49...0x72 ~= $0 & 0xff) } ?? 0
      // Seconds since 2001. Its last byte is 0, which is not the first byte of a plausible time.
      default: UInt64(chance.number(300_000_000...600_000_000)) & ~0xff
      }
    },
    number(target, "past", .expiryPast, "the expiry is before the service began") { chance, _ in
      // Neither a date in another notation, nor seconds since 2001.
      UInt64(chance.number(4_000_000...4_250_000)) << 8
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
    // 1234, the identifier in Apple's sample code, in memory order.
    number(target, "byte-swapped", .identifierByteSwapped, "the identifier is 1234 in little-endian order") {
      _, _ in
      0xd204_0000
    },
    Mutator(
      "repeated-\(target.name)", "the identifier is the same as in the preceding frame", rule: .identifierRepeated,
      of: target.schema
    ) { context in
      guard let precedingFrames = context.companionFrame(),
        let before = precedingFrames.schema.path(of: .identifier),
        case .integer(let value)? = precedingFrames[before], case .integer(let old)? = context.frame[target]
      else { return nil }
      context.precedingFrames = [precedingFrames]
      context.frame[target] = .integer(value)
      return Change(
        sentence: "the \(target.title) was changed from \(old) to \(value), as in the preceding frame")
    },
  ]
  if target.isItem {
    all.append(
      Mutator(
        "without-\(target.name)", "the notification has no identifier", rule: .identifierMissing, of: target.schema
      ) { context in
        guard case .integer(let old)? = context.frame[target], context.edition >= ErrorResponse.schema.since else {
          return nil
        }
        context.frame[target] = nil
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
    ) { context in
      let bytes = try context.frame.bytes()
      guard target.schema.command == nil, bytes.number(at: 4, width: 2) == 32 else { return nil }
      return Change(
        sentence: "the first byte of the tuple was removed: \(bytes.count) bytes became \(bytes.count - 1)",
        follows: [.truncated], bytes: Array(bytes.dropFirst()))
    },
  ]
}
