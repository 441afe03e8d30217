import APNSCapture
import APNSInput
import ArgumentParser

/// The format of an input, as given with `--from`, or as recognised from its first bytes.
struct InputFormat: RawRepresentable, Hashable, CaseIterable, ExpressibleByArgument {
  let rawValue: String

  static let auto = InputFormat(named: "auto")
  /// Any text format.
  static let hex = InputFormat(named: "hex")
  static let raw = InputFormat(named: "raw")
  static let pcap = InputFormat(named: "pcap")

  static let allCases = [auto, hex, raw, pcap] + TextFormat.allCases.map { InputFormat(named: $0.rawValue) }

  /// A screen has no space for all of them.
  static var allValueStrings: [String] { (HelpText.isShort ? [auto, hex, raw, pcap] : allCases).map(\.rawValue) }

  private init(named name: String) { rawValue = name }

  init?(rawValue: String) {
    self.init(named: rawValue)
    guard Self.allCases.contains(self) else { return nil }
  }

  /// The text format of this name; nil if the format is recognised while reading, or is not text.
  var text: TextFormat? { TextFormat.allCases.first { $0.rawValue == rawValue } }

  /// The number of bytes with which every format can be recognised.
  private static let headLimit = 4096

  /// The format to read an input in, which is `pcap`, `raw` or text, by the same rules for every command. Reads only as
  /// much as necessary.
  /// - Throws: An error for a format that another tool must convert first.
  func recognised(in source: ByteSource) throws(ReadError) -> InputFormat {
    var isAll = false
    while true {
      // A capture and raw bytes are recognised from their first bytes, so that a growing stream is shown at once. Text
      // is only recognised once the complete head is text.
      let head = source.head
      let isCapture = APNSCapture.isCapture(head)
      let isText = !isCapture && TextReader.isText(head.span)
      if isAll || head.count >= (isCapture ? 12 : isText ? Self.headLimit : 4) {
        guard self == .auto || self == .pcap else { return self }
        if let error = ForeignFile.error(for: head) { throw error }
        return isCapture || self == .pcap ? .pcap : isText ? .hex : .raw
      }
      isAll = try !source.peekMore()
    }
  }
}
