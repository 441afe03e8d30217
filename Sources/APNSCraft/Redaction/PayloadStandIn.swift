import APNSPayload

/// A replacement of bytes in a stream.
struct Edit {
  let range: Range<Int>
  /// The new bytes, as many as `range` has.
  let bytes: [UInt8]
  /// Whether the meaning of the bytes is unknown, so that findings may depend on them.
  let isOpaque: Bool
}

/// Finds the parts of a payload that must be replaced: texts, and the app's keys and numbers. Keys and words that Apple
/// documents are kept, as are brackets, white space, true, false and null.
struct PayloadStandIn {
  private let standIns: StandIns
  private(set) var edits: [Edit] = []
  /// The enclosing objects and arrays: the documented object, or nil for another object or an array.
  private var containers: [PayloadKey.Container?] = []
  /// The documented key of the next value.
  private var key: Int?

  init(_ standIns: StandIns) { self.standIns = standIns }

  /// Processes the payload at `range`. Returns the offset of its end, or of its first JSON error.
  mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    readTokens(bytes, range, stopsAfterValue: false)
  }

  /// Processes the object that begins at `start`. Returns the offset of its end, or of its first JSON error.
  mutating func readObject(_ bytes: Span<UInt8>, from start: Int, limit: Int) -> Int {
    readTokens(bytes, start..<limit, stopsAfterValue: true)
  }

  private mutating func readTokens(_ bytes: Span<UInt8>, _ range: Range<Int>, stopsAfterValue: Bool) -> Int {
    containers = []
    key = nil
    var scanner = JSONScanner(range)
    var end = range.lowerBound
    do throws(JSONError) {
      while let token = try scanner.next(in: bytes) {
        process(token, bytes)
        end = token.end
        if stopsAfterValue, token.depth == 0, token.kind == .endObject { return end }
      }
      return range.upperBound
    } catch {
      return end
    }
  }

  private mutating func process(_ token: JSONScanner.Token, _ bytes: Span<UInt8>) {
    switch token.kind {
    case .key: processKey(token, bytes)
    case .beginObject:
      containers.append(containers.isEmpty ? .root : key.flatMap(container))
      key = nil
    case .beginArray:
      containers.append(nil)
      key = nil
    case .endObject, .endArray: containers.removeLast()
    case .string:
      var text = (token.start + 1)..<(token.end - 1)
      // The rules check the extension of a sound file.
      if let key, PayloadKey.all[key].allowed == .soundFile,
        let judged = bytes.unplayableExtension(ofString: token.range)
      {
        text = text.lowerBound..<judged.lowerBound
      }
      if !isVocabulary(bytes, text) { add(text, TextStandIn.of(bytes, text, standIns), bytes) }
      key = nil
    case .number:
      // Numbers of documented keys, such as badges, are kept, because findings are about them.
      if key == nil { add(token.range, standIns.number(token.range.map { bytes[$0] }), bytes) }
      key = nil
    case .true, .false, .null: key = nil
    }
  }

  private mutating func processKey(_ token: JSONScanner.Token, _ bytes: Span<UInt8>) {
    key = nil
    let text = (token.start + 1)..<(token.end - 1)
    if case .some(let container?) = containers.last {
      let name = JSONValue.unescape(token.range, in: bytes) ?? []
      let path = (container.path.isEmpty ? "" : container.path + ".") + String(decoding: name, as: UTF8.self)
      key = PayloadKey.index(of: path)
      // A key similar to a documented one is kept, because findings name it.
      let isAlike = !PayloadKey.spelt(name).isEmpty || PayloadKey.oneLetterOff(name, in: container) != nil
      if key != nil || isAlike { return }
    }
    add(text, TextStandIn.of(bytes, text, standIns, isKey: true), bytes)
  }

  private func container(of key: Int) -> PayloadKey.Container? {
    PayloadKey.Container.allCases.first { $0 != .root && $0.path == PayloadKey.all[key].path }
  }

  /// Whether the string is a documented word of its key.
  private func isVocabulary(_ bytes: Span<UInt8>, _ text: Range<Int>) -> Bool {
    key.map { PayloadKey.all[$0].path } == "aps.sound" && text.map { bytes[$0] }.elementsEqual("default".utf8)
  }

  private mutating func add(_ range: Range<Int>, _ other: [UInt8], _ bytes: Span<UInt8>) {
    edits.append(Edit(range: range, bytes: other, isOpaque: false))
  }
}
