import APNSWire
import Octets

extension TextFormat {
  package static let plain = TextFormat(
    "plain", "plain hex digits, in groups or not (xxd -p, 02:00:4e)",
    layouts: { [DigitText(.plain, $0, DigitRun(.oneMark))] })

  package static let pairs = TextFormat(
    "pairs", "pairs of hex digits with anything between them ([08, d2], \"08\",\"d2\", 08.d2, 08|d2)",
    layouts: { [DigitText(.pairs, $0, DigitRun(.same))] })

  package static let bits = TextFormat(
    "bits", "binary digits, eight a byte (00000010 00000000, 0b0000_0010)",
    layouts: { [DigitText(.bits, $0, DigitRun(width: 1, .oneMark))] })

  package static let base64 = TextFormat(
    "base64", "base64, either alphabet", layouts: { [DigitText(.base64, $0, DigitRun(width: 6))] })

  package static let nsdata = TextFormat(
    "nsdata", "NSData description or node's Buffer (<b4bce12f 9d34>)",
    layouts: { [DigitText(.description, $0, DigitRun())] })

  package static let literal = TextFormat(
    "literal", "hex digits as a program or a database writes them (bytes.fromhex('0808'), X'0808', \\x08080000)",
    layouts: { [DigitText(.literal, $0, DigitRun())] })

  package static let log = TextFormat(
    "log", "hex digits or base64 inside other text (a log, key=value, JSON, CSV, a table, a string in a program)",
    layouts: { [DigitText(.words, $0, DigitRun(.anything)), DigitText(.words, $0, DigitRun(width: 6))] })

  /// Wireshark's Follow as YAML: peers, of which 0 opened the connection, and packets in base64.
  package static let yaml = TextFormat(
    "yaml", "Follow as YAML (peers and packets with !!binary)",
    layouts: { $0.isNamed || $0.holds("!!binary") ? [DigitText(.words, $0, DigitRun(width: 6))] : [] })
}

/// Digits of one alphabet: all of a text, among its words, or in brackets and quotes that show what they are.
///
///     0808 0000 04D2          0x0808000004d2          08:08:00:00:04:d2               plain
///     [08, d2, 00]            "0x08", "0xd2"          08.d2.00     08|d2|00           pairs
///     00001000 00001000       0000 1000 0000 1000     0b00001000, 0b0000_1000, 0b1    bits
///     CAjerb7v                                                                        base64
///     2013-11-18 10:00:00 Sender[42] <Notice>: token <b4bce12f 9d34>                  description
///     {length = 6, bytes = 0x08080000 0007}                              since iOS 13
///     bytes.fromhex('0808 0000')     X'08080000'     \x08080000                     literal
///     2013-11-19 00:00:01 INFO sent 0808000004d2       level=debug bytes=0808000004d2   words
///     10:00:01 out 08 08 00 00 04 d2                   VALUES (0x0808000004D2)
///     Buffer.from('CAgAAATSAAAA', 'base64')            -----BEGIN FRAME-----           data: !!binary |
///
/// Text around enclosed digits is skipped, and so are brackets around a word (`<Notice>`). Once digits have begun, an
/// error in them is reported. Among words, each line has one run of digits at most. Base64 goes on in the next line
/// if that has nothing else.
struct DigitText: TextDecoder {
  enum Form {
    case plain
    case pairs
    case bits
    case base64
    case description
    case literal
    case words
  }

  let form: Form
  let catalog: Catalog
  var output = TextOutput()
  /// The only lines that are read; nil for all.
  var selected: Set<UInt32>?
  /// The digits that have begun. Among words, those of base64 that may go on in the next line.
  var run: DigitRun
  /// The brackets or quotes around the current digits.
  var enclosure: DigitEnclosure?
  var lines = 0
  /// Among words, how many lines have digits, where they began in the preceding line, and the first bytes.
  var runs = 0
  var column: Int?
  /// What followed the digits of that line, and how many characters of base64 they were.
  var tail: [UInt8] = []
  var size = 0
  var beginning: [UInt8]?
  /// Whether the lines are between `-----BEGIN` and `-----END`, or follow `!!binary` in YAML.
  var isArmored = false
  var needsEnd = false
  var hasBase64 = false
  /// Whether a line begins with what may be a time of day.
  private var hasTime = false
  /// Whether there were enclosed digits, and whether what they are in is only written around digits.
  var isEnclosed = false
  var isMarked = false

  init(_ form: Form, _ head: TextHead, _ run: DigitRun) {
    (self.form, catalog, self.run) = (form, head.catalog, run)
  }

  /// Whether the digits are all of the text.
  private var isAlone: Bool { ![.description, .literal, .words].contains(form) }
  var explainsLines: Bool { isAlone }
  var leads: LineLead.Kind { isAlone && form != .base64 ? .all : .marks }

  var interpretation: TextInterpretation? {
    guard form == .words, !isMarked else { return nil }
    return TextInterpretation(
      phrase: "hex digits or base64 inside other text: \(runs) of \(plural(lines, "line"))",
      isAssumed: runs < lines)
  }

  mutating func decode(_ line: TextLine) throws(ReadError) {
    if let selected, !selected.contains(line.start.line) { return }
    switch form {
    case .words: return try decodeAmongWords(line)
    case .description, .literal: return try decodeEnclosed(line)
    case .pairs:
      if let dots = line.text.index(of: "..") { throw .leftOut(at: line.position(dots)) }
    case .plain, .bits, .base64: break
    }
    hasTime = hasTime || line.text[line.first...].beginsWithTime
    try read(line, line.first..<line.text.count)
  }

  mutating func read(_ line: TextLine, _ range: Range<Int>) throws(ReadError) {
    defer {
      output.append(run.bytes)
      run.bytes = PlacedBytes()
    }
    try run.read(line, range)
  }

  mutating func finish(at position: TextPosition) throws(ReadError) {
    if needsEnd { throw .cut("before its END line", at: position) }
    guard enclosure == nil else { throw .cut("before the closing > or }", at: position) }
    try run.finish()
  }
}

// MARK: - Evidence
extension DigitText {
  var needsBytes: Bool { !isAlone }

  var isPlausible: Bool {
    let digits = run.evidence
    switch form {
    case .plain: return true
    // At least six bytes (an error response), one of them with a letter.
    case .pairs: return digits.groups >= 6 && digits.values >> 10 != 0 && digits.longest <= 2
    case .bits:
      // Groups after `0b`, groups with `_`, or digits that are not all 0: real frames in hex have other digits than 0
      // and 1.
      let isRun =
        digits.groups == 1 && digits.longest >= 16 || digits.groups > 1 && digits.size == 8
        || digits.groups >= 12 && digits.size == 4
      return digits.prefixed > 0 || digits.isSplit || digits.values & 2 != 0 && isRun
    case .base64:
      // Complete groups of four characters, in one run per line, that do not look like a word: with letters, and with
      // digits or symbols. Digits alone are hex. Without padding, or with blanks, the bytes must begin a frame.
      let isOneRun = digits.hexDigits * 4 < run.digits * 3 && run.isComplete && !digits.hasBlank
      guard run.digits >= 8, digits.hexDigits < run.digits, isOneRun || FramePrice.beginsFrame(run.beginning, catalog)
      else { return false }
      return digits.isMixed
    case .description: return isMarked
    case .literal: return isEnclosed
    case .words:
      // Few of the numbers in a text are data: only those that begin like a frame, or with a token as feedback does.
      guard !isMarked else { return true }
      guard let first = beginning, first.count >= 6 else { return false }
      return catalog.isCommand(first[0]) || first[4] == 0 && first[5] == Self.tokenSize || isArmored
    }
  }

  var isCertain: Bool { form == .description }

  /// Whether an editor has changed a character among the digits, or brackets have certainly digits.
  var isSure: Bool { run.hasForeignCharacter || isMarked }

  var doubt: String? {
    let digits = run.evidence
    let mayBeBits = run.width == 4 && digits.values >> 2 == 0 && digits.values & 2 != 0 && digits.longest >= 16
    switch form {
    case .plain where mayBeBits, .words where mayBeBits: return Self.bitsOrHex
    case .plain:
      return hasTime || digits.hasLead
        ? "a line may begin with a time or a number, or with bytes; remove it, or use --from plain if they are bytes"
        : nil
    case .bits:
      let areBytes = digits.groups > 1 && digits.size == 8 && digits.prefixed == 0
      let isSure = digits.prefixed > 1 || digits.isSplit || digits.prefixed == 1 && digits.longest >= 8 || areBytes
      return isSure ? nil : Self.bitsOrHex
    default: return nil
    }
  }

  private static let bitsOrHex =
    "these digits are all 0 or 1, so they may be bits (eight per byte) or hex (two per byte); use --from bits, or "
    + "--from plain for hex"

  private static let tokenSize: UInt8 = 32
}

extension ArraySlice<UInt8> {
  /// Whether the first of several words is a time of day: `12:00:01`.
  fileprivate var beginsWithTime: Bool {
    let word = prefix(9)
    guard word.count == 9, word.last?.isWhite == true,
      word.dropLast().map({ $0.isDecimalDigit ? UInt8(ascii: "9") : $0 }).isText("99:99:99")
    else { return false }
    let numbers = word.dropLast().split(separator: UInt8(ascii: ":")).compactMap { $0.number(radix: 10) }
    return numbers[0] < 24 && numbers[1] < 60 && numbers[2] <= 60
  }
}
