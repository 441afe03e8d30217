import APNSInput

/// The format of an input, as given with `--from`.
struct InputFormat: RawRepresentable, Hashable, CaseIterable, Sendable {
  let rawValue: String

  static let auto = InputFormat(named: "auto")
  /// Any text format.
  static let hex = InputFormat(named: "hex")
  static let raw = InputFormat(named: "raw")
  static let pcap = InputFormat(named: "pcap")

  static let allCases =
    [auto, hex, raw, pcap] + protocolDefinitions.formats.map { InputFormat(named: $0.rawValue) }

  private init(named name: String) { rawValue = name }

  init?(rawValue: String) {
    self.init(named: rawValue)
    guard Self.allCases.contains(self) else { return nil }
  }

  /// The text format of this name; nil if the format is recognised or is not text.
  var text: TextFormat? { protocolDefinitions.formats.first { $0.rawValue == rawValue } }
}
