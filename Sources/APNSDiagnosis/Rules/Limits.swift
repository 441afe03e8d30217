import APNSWire

/// A documented size limit in some editions.
struct Limit: Sendable {
  let value: Value
  /// The commands to which the limit applies; empty for all frame types.
  var commands: [Command] = []
  /// The allowed sizes in bytes. Empty values have separate rules.
  let sizes: ClosedRange<Int>
  let since: Edition
  /// The last edition that states the limit; nil if the last edition does.
  var until: Edition?
  /// Whether the gateway refuses other sizes. If false, no document says that it does.
  let isRefused: Bool
  let source: String

  enum Value: Sendable { case token, payload }

  /// All limits. For one value, limits that the gateway enforces come first.
  static let all = [
    Limit(
      value: .token, sizes: 32...32, since: .year2009, until: .year2010, isRefused: false,
      source: "the texts of the older formats give no number, only a constant DEVICE_BINARY_SIZE in their listings"),
    Limit(
      value: .token, sizes: 32...32, since: .year2013, until: .year2013, isRefused: true,
      source: Guide.binaryInterface + ", item 1: 32 bytes"),
    Limit(
      value: .token, sizes: Field.tokenSizes, since: .year2017, isRefused: true,
      source: Guide.binaryInterface2017 + ", item 1: up to 100 bytes"),
    Limit(
      value: .payload, sizes: 1...256, since: .year2009, until: .year2013, isRefused: true,
      source: Guide.payload + ": the service refuses more than 256 bytes"),
    Limit(
      value: .payload, sizes: 1...2048, since: .year2017, isRefused: true,
      source: Guide.binaryInterface2017 + ", item 2: at most 2 kilobytes"),
    Limit(
      value: .payload, commands: [0, 1], sizes: 1...256, since: .year2017, isRefused: false,
      source: Guide.legacyFormats2017 + ": must not exceed 256 bytes; only a warning, because PyAPNs sent up to 2048 "
        + "bytes in these formats too, and no refusal was reported"),
  ]

  /// The first limit that a value of this size violates; nil if there is none.
  static func broken(by size: Int, _ value: Value, of command: Command?, in edition: Edition) -> Limit? {
    all.first { limit in
      limit.value == value && !limit.sizes.contains(size) && limit.isIn(edition)
        && (limit.commands.isEmpty || command.map { limit.commands.contains($0) } ?? false)
    }
  }

  /// The limit for the same value that applies to all frame types.
  func general(in edition: Edition) -> Limit? {
    Self.all.first { $0.value == value && $0.commands.isEmpty && $0.isIn(edition) }
  }

  /// The sizes that are within the limits of every edition and frame type.
  static func ordinary(_ value: Value) -> ClosedRange<Int> {
    let rows = all.filter { $0.value == value }.map(\.sizes)
    return (rows.map(\.lowerBound).max() ?? 0)...(rows.map(\.upperBound).min() ?? .max)
  }

  fileprivate func isIn(_ edition: Edition) -> Bool { since <= edition && until.map { edition <= $0 } ?? true }

  /// The limit of later editions; nil if the limit is in the last edition.
  var successor: Limit? {
    guard let until else { return nil }
    return Self.all.first { $0.value == value && $0.isRefused && $0.since > until }
  }
}

extension Edition {
  /// The size limits of the edition, as one phrase each, in bytes.
  public var limits: [String] {
    Limit.all.filter { $0.isIn(self) }.map(\.words)
  }
}

extension Field {
  /// The size limits of the field in each edition, as one phrase each, in bytes; empty except for tokens and payloads.
  package var documentedSizes: [String] {
    let value: Limit.Value? = role == .token ? .token : role == .payload ? .payload : nil
    return Limit.all.filter { $0.value == value }.map { limit in
      let last = limit.until ?? .latest
      let years = limit.since == last ? "" : " to \(last.rawValue)"
      return "\(limit.since.rawValue)\(years): \(limit.words)"
    }
  }
}

extension Limit {
  fileprivate var words: String {
    let name = value == .token ? "device token" : "payload"
    let numbers = commands.map { String($0.rawValue) }.joined(separator: " and ")
    let place = commands.isEmpty ? "" : " in commands " + numbers
    let range =
      sizes.lowerBound == sizes.upperBound ? "\(sizes.upperBound)" : "\(sizes.lowerBound) to \(sizes.upperBound)"
    return "\(name)\(place): \(range) bytes" + (isRefused ? "" : " (\(source))")
  }
}
