import APNSInput

/// The format of an input, as given with `--from`.
package struct InputFormat: RawRepresentable, Hashable, CaseIterable, Sendable {
  package let rawValue: String

  package static let auto = InputFormat(named: "auto")
  /// Any text format.
  package static let hex = InputFormat(named: "hex")
  package static let raw = InputFormat(named: "raw")
  package static let pcap = InputFormat(named: "pcap")

  package static let allCases =
    [auto, hex, raw, pcap] + protocolDefinitions.formats.map { InputFormat(named: $0.rawValue) }

  private init(named name: String) { rawValue = name }

  package init?(rawValue: String) {
    self.init(named: rawValue)
    guard Self.allCases.contains(self) else { return nil }
  }

  /// The text format of this name; nil if the format is recognised or is not text.
  var text: TextFormat? { protocolDefinitions.formats.first { $0.rawValue == rawValue } }
}
