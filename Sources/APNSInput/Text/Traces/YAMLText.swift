extension TextFormat {
  /// Wireshark's Follow as YAML: peers, and packets in base64.
  package static let yaml = TextFormat(
    "yaml", "Follow as YAML (peers and packets with !!binary)", needs: "!",
    layouts: { _ in [YAMLText()] })
}

/// Wireshark's Follow as YAML. Peer 0 opened the connection.
///
///     packets:
///       - packet: 11
///         peer: 1
///         data: !!binary |
///           CAgAAAAH
struct YAMLText: TextDecoder {
  /// The current data, whose lines are indented by more than `indent`.
  private var base64: DigitRun?
  private var indent = 0
  private(set) var isSure = false
  var isPlausible: Bool { isSure }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if base64 != nil, line.first > indent {
      try base64?.read(line, line.first..<line.text.count, into: &output)
      return
    }
    try end(at: line.position(line.first))
    var start = line.first
    if line.text[start...].starts(with: "- ".utf8) { start += 2 }
    let key = line.text[start...].prefix { $0 != UInt8(ascii: ":") }
    guard key.endIndex < line.text.count else {
      throw .notHex(
        line.text[line.first], at: line.position(line.first), "cannot begin a line of YAML; a key and a colon must")
    }
    let value = line.text[(key.endIndex + 1)...].drop { $0.isWhite }
    isSure = isSure || key.isText("peers") || key.isText("packets")
    if key.isText("peer") {
      guard let peer = value.number(radix: 10), peer < 2 else {
        throw ReadError(.notHex, "a peer must be 0 or 1", position: line.position(start))
      }
      output.switchSide(to: peer)
    } else if value.starts(with: "!!binary".utf8) {
      isSure = true
      base64 = DigitRun(width: 6, isPadded: true)
      indent = start
      let rest = value.dropFirst(8).drop { $0.isWhite }
      if !rest.isText("|"), !rest.isText("|-") { try base64?.read(line, rest.indices, into: &output) }
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    try end(at: position)
  }

  private mutating func end(at position: TextPosition) throws(ReadError) {
    try base64?.finish(at: position)
    base64 = nil
  }
}
