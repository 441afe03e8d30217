import APNSWire

/// A documented size limit in some editions.
struct Limit: Sendable {
  /// The role of the limited field: a token or a payload.
  let value: Field.Role
  /// The commands to which the limit applies; empty for all frame types.
  var commands: [Command] = []
  /// The allowed sizes in bytes. Empty values have separate rules.
  let sizes: ClosedRange<Int>
  let editions: ClosedRange<Edition>
  var since: Edition { editions.lowerBound }
  /// Whether the gateway refuses other sizes. If false, no document says that it does.
  let isRefused: Bool
  let source: String

  /// All limits. For one value, limits that the gateway enforces come first.
  static let all = [
    Limit(
      value: .token, sizes: 32...32, editions: .year2009 ... .year2010, isRefused: false,
      source: "the texts of the older formats give no number, only a constant DEVICE_BINARY_SIZE in their listings"),
    Limit(
      value: .token, sizes: 32...32, editions: .year2013 ... .year2013, isRefused: true,
      source: Guide.binaryInterface + ", item 1: 32 bytes"),
    Limit(
      value: .token, sizes: Field.tokenSizes, editions: .year2017 ... .latest, isRefused: true,
      source: Guide.binaryInterface2017 + ", item 1: up to 100 bytes"),
    Limit(
      value: .payload, sizes: 1...256, editions: .year2009 ... .year2013, isRefused: true,
      source: Guide.payload + ": the service refuses more than 256 bytes"),
    Limit(
      value: .payload, sizes: 1...2048, editions: .year2017 ... .latest, isRefused: true,
      source: Guide.binaryInterface2017 + ", item 2: at most 2 kilobytes"),
    Limit(
      value: .payload, commands: [0, 1], sizes: 1...256, editions: .year2017 ... .latest, isRefused: false,
      source: Guide.legacyFormats2017 + ": must not exceed 256 bytes; only a warning, because PyAPNs sent up to 2048 "
        + "bytes in these formats too, and no refusal was reported"),
  ]

  /// The first limit that a value of this size violates; nil if there is none.
  static func broken(by size: Int, _ value: Field.Role, of command: Command?, in edition: Edition) -> Limit? {
    all.first { limit in
      limit.value == value && !limit.sizes.contains(size) && limit.editions.contains(edition)
        && (limit.commands.isEmpty || command.map { limit.commands.contains($0) } ?? false)
    }
  }

  /// The limit of later editions; nil if the limit is in the last edition.
  var successor: Limit? {
    Self.all.first { $0.value == value && $0.isRefused && $0.since > editions.upperBound }
  }
}

extension Edition {
  /// The size limits of the edition, as one phrase each, in bytes.
  public var limits: [String] {
    Limit.all.filter { $0.editions.contains(self) }.map(\.words)
  }
}

extension Field {
  /// The size limits of the field in each edition, as one phrase each, in bytes; empty except for tokens and payloads.
  package var documentedSizes: [String] {
    Limit.all.filter { $0.value == role }.map { limit in
      let last = limit.editions.upperBound
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
