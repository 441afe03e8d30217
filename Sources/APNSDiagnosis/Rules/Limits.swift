import APNSWire

/// A documented size, by edition: rows of data for the rules about sizes.
struct Limit: Sendable {
  let value: Value
  /// The frame types that it is stated for; empty for all.
  let commands: [Command]
  /// In bytes. Empty values have rules of their own.
  let sizes: ClosedRange<Int>
  let since: Edition
  /// The last edition that has it; nil for the limits of the last edition.
  let until: Edition?
  /// The gateway refuses other sizes. If false, no text says that it does.
  let isRefused: Bool
  let source: String

  enum Value: Sendable { case token, payload }

  /// For one value, what is refused precedes what is only unusual.
  static let all = [
    Limit(
      .token, 32...32, since: .year2009, until: .year2010, isRefused: false,
      source: "the texts of the older formats give no number, only a constant DEVICE_BINARY_SIZE in their listings"),
    Limit(
      .token, 32...32, since: .year2013, until: .year2013, isRefused: true,
      source: Guide.binaryInterface + ", item 1: 32 bytes"),
    Limit(
      .token, Field.tokenSizes, since: .year2017, isRefused: true,
      source: Guide.binaryInterface2017 + ", item 1: up to 100 bytes"),
    Limit(
      .payload, 1...256, since: .year2009, until: .year2013, isRefused: true,
      source: Guide.payload + ": the service refuses more than 256 bytes"),
    Limit(
      .payload, 1...2048, since: .year2017, isRefused: true,
      source: Guide.binaryInterface2017 + ", item 2: at most 2 kilobytes"),
    Limit(
      .payload, commands: [0, 1], 1...256, since: .year2017, isRefused: false,
      source: Guide.legacyFormats2017 + ": must not exceed 256 bytes; only a warning, because PyAPNs sent up to 2048 "
        + "bytes in these formats too, and no refusal was reported"),
  ]

  /// The row that a value of this size breaks.
  static func broken(by size: Int, _ value: Value, of command: Command?, in edition: Edition) -> Limit? {
    all.first { limit in
      limit.value == value && !limit.sizes.contains(size) && limit.isIn(edition)
        && (limit.commands.isEmpty || command.map { limit.commands.contains($0) } ?? false)
    }
  }

  /// The row beside it that is for all frame types.
  func general(in edition: Edition) -> Limit? {
    Self.all.first { $0.value == value && $0.commands.isEmpty && $0.isIn(edition) }
  }

  /// Sizes within the limits of every edition and frame type.
  static func ordinary(_ value: Value) -> ClosedRange<Int> {
    let rows = all.filter { $0.value == value }.map(\.sizes)
    return (rows.map(\.lowerBound).max() ?? 0)...(rows.map(\.upperBound).min() ?? .max)
  }

  fileprivate func isIn(_ edition: Edition) -> Bool { since <= edition && until.map { edition <= $0 } ?? true }

  /// The limit of later editions.
  var successor: Limit? {
    guard let until else { return nil }
    return Self.all.first { $0.value == value && $0.isRefused && $0.since > until }
  }

  private init(
    _ value: Value, commands: [Command] = [], _ sizes: ClosedRange<Int>, since: Edition, until: Edition? = nil,
    isRefused: Bool, source: String
  ) {
    self.value = value
    self.commands = commands
    self.sizes = sizes
    self.since = since
    self.until = until
    self.isRefused = isRefused
    self.source = source
  }
}

extension Edition {
  /// Its size limits, a phrase each.
  public var limits: [String] {
    Limit.all.filter { $0.isIn(self) }.map(\.words)
  }
}

extension Field {
  /// What each edition says about the field's size, a phrase each.
  public var documentedSizes: [String] {
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
