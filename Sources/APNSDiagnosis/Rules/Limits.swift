import APNSWire

/// A size that the service asked for, by edition: rows of data, which the rules about sizes read.
struct Limit: Sendable {
  let value: Value
  /// Of the frame types that it is said of; empty where it is said of all.
  let commands: [Command]
  /// In bytes. That a value is empty has rules of its own.
  let sizes: ClosedRange<Int>
  let since: Edition
  /// The last edition that has it; nil where none has another.
  let until: Edition?
  /// Since when it was so: Apple changed some limits years before the text that is judged by.
  let year: Int
  /// Other sizes are refused; else they are only unusual.
  let isRefused: Bool
  let source: String

  enum Value: Sendable { case token, payload }

  /// Of one value what is refused comes before what is unusual.
  static let all = [
    Limit(
      .token, 32...32, since: .year2009, until: .year2013, isRefused: true,
      source: "Local and Push Notification Programming Guide (2013), item 1: 32 bytes"),
    Limit(
      .token, 1...100, since: .year2017, isRefused: true,
      source: "Local and Remote Notification Programming Guide (2017), Binary Provider API, item 1: up to 100 bytes"),
    Limit(
      .token, 32...32, since: .year2017, isRefused: false,
      source: "tokens of devices as providers saw them; 40, 54 and 80 bytes were reported too"),
    Limit(
      .payload, 1...256, since: .year2009, until: .year2013, isRefused: true,
      source: "Local and Push Notification Programming Guide (2013), The notification payload: at most 256 bytes"),
    Limit(
      .payload, 1...2048, since: .year2017, year: 2014, isRefused: true,
      source: "Local and Remote Notification Programming Guide (2017), Binary Provider API, item 2: at most 2 kilobytes"
    ),
    // Libraries sent up to 2048 bytes there too, and nobody reported that it was refused.
    Limit(
      .payload, commands: [0, 1], 1...256, since: .year2017, isRefused: false,
      source: "Local and Remote Notification Programming Guide (2017), Legacy notification format: at most 256 bytes"),
  ]

  /// The row that a value of so many bytes breaks.
  static func broken(by size: Int, _ value: Value, of command: Command?, in edition: Edition) -> Limit? {
    all.first { limit in
      limit.value == value && !limit.sizes.contains(size) && limit.since <= edition
        && limit.until.map { edition <= $0 } ?? true
        && (limit.commands.isEmpty || command.map { limit.commands.contains($0) } ?? false)
    }
  }

  /// What is refused in later editions instead.
  var successor: Limit? {
    guard let until else { return nil }
    return Self.all.first { $0.value == value && $0.isRefused && $0.since > until }
  }

  private init(
    _ value: Value, commands: [Command] = [], _ sizes: ClosedRange<Int>, since: Edition, until: Edition? = nil,
    year: Int? = nil, isRefused: Bool, source: String
  ) {
    self.value = value
    self.commands = commands
    self.sizes = sizes
    self.since = since
    self.until = until
    self.year = year ?? since.rawValue
    self.isRefused = isRefused
    self.source = source
  }
}

extension Edition {
  /// The sizes that hold in it, a phrase each.
  public var limits: [String] {
    Limit.all.filter { $0.since <= self && $0.until.map { self <= $0 } ?? true }.map(\.words)
  }
}

extension Limit {
  fileprivate var words: String {
    let name = value == .token ? "device token" : "payload"
    let numbers = commands.map { String($0.rawValue) }.joined(separator: " and ")
    let place = commands.isEmpty ? "" : " in commands " + numbers
    let range =
      sizes.lowerBound == sizes.upperBound ? "\(sizes.upperBound)" : "\(sizes.lowerBound) to \(sizes.upperBound)"
    return "\(name)\(place): \(range) bytes" + (isRefused ? "" : "; others are unusual")
  }
}
