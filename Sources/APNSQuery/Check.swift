import APNSInput
import APNSPayload
import Octets

/// A condition on a value. Equality, order and sets of numbers are all represented as ranges.
enum Check: Sendable {
  case present
  case numbers([ClosedRange<UInt64>])
  /// Nanoseconds since 1970 UTC.
  case times([ClosedRange<Int128>])
  case texts([[UInt8]])
  case contains(Needle)
  case endpoints([EndpointPattern])
  case json([JSONPattern])

  func passes(_ value: FieldValue, _ bytes: Span<UInt8>) -> Bool {
    switch (self, value) {
    case (.present, _): true
    case (.numbers(let ranges), .number(let number)): ranges.contains { $0.contains(number) }
    case (.times(let ranges), .time(let time)): ranges.contains { $0.contains(time.sinceEpoch) }
    case (.texts(let texts), .octets(let range)): texts.contains { bytes.holds($0, in: range) }
    case (.texts(let texts), .text(let text)): texts.contains { text.utf8.elementsEqual($0) }
    case (.contains(let needle), .octets(let range)): needle.isFound(in: bytes, range)
    case (.contains(let needle), .text(let text)): needle.isFound(in: Array(text.utf8))
    case (.contains(let needle), .json(let kind, let range)): needle.isFound(in: bytes, kind, range)
    case (.endpoints(let patterns), .endpoint(let endpoint)): patterns.contains { $0.matches(endpoint) }
    case (.json(let patterns), .json(let kind, let range)): patterns.contains { $0.matches(kind, bytes, range) }
    default: false
    }
  }
}

extension CaptureTime {
  /// Nanoseconds since 1970 UTC. The type is wide enough for any time in a capture.
  var sinceEpoch: Int128 { Int128(seconds) * 1_000_000_000 + Int128(nanoseconds) }
}

/// An endpoint, or only its address or port.
enum EndpointPattern: Sendable {
  case whole(Endpoint)
  case address(Endpoint.Address)
  case port(UInt16)

  /// Parses `10.0.0.1:2195`, `10.0.0.1`, `[2001:db8::1]:2195`, `2001:db8::1` or `2195`.
  init?(_ text: String) {
    if let port = UInt16(text) {
      self = .port(port)
    } else if let alone = Endpoint(text + ":0") ?? Endpoint("[\(text)]:0") {
      self = .address(alone.address)
    } else if let endpoint = Endpoint(text) {
      self = .whole(endpoint)
    } else {
      return nil
    }
  }

  func matches(_ endpoint: Endpoint) -> Bool {
    switch self {
    case .whole(let whole): endpoint == whole
    case .address(let address): endpoint.address == address
    case .port(let port): endpoint.port == port
    }
  }
}

/// A condition on a value inside JSON.
enum JSONPattern: Sendable {
  case string([UInt8])
  /// `true`, `false` or `null`.
  case literal(JSONScanner.Kind)
  /// Without `from` or `to`, there is no limit on that side.
  case numbers(from: JSONNumber?, to: JSONNumber?, excludesEnds: Bool)

  func matches(_ kind: JSONScanner.Kind, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    switch (self, kind) {
    case (.string(let text), .string): return bytes.isString(range, saying: text)
    case (.literal(let literal), _):
      return literal == kind
    case (.numbers(let low, let high, let excludesEnds), .number):
      guard let number = DecimalNumber(bytes, range) else { return false }
      let fromLow = low?.order(of: number, in: bytes) ?? 1
      let fromHigh = high?.order(of: number, in: bytes) ?? -1
      return excludesEnds ? fromLow > 0 && fromHigh < 0 : fromLow >= 0 && fromHigh <= 0
    default:
      return false
    }
  }
}
