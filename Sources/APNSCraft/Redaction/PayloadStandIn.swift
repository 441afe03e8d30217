import APNSPayload

/// One change: bytes of a stream, and what stands in their place.
struct Edit {
  let range: Range<Int>
  let bytes: [UInt8]
  /// Nobody knows what it is: it may be what findings hang on.
  let isOpaque: Bool
}

/// Takes a payload apart into what has to be replaced: texts, the app's own keys and numbers. What Apple documents
/// stays, and so do brackets, white space, true, false and null.
struct PayloadStandIn {
  private let standIns: StandIns
  private(set) var edits: [Edit] = []
  /// Objects that are open, and which of Apple's each is; of an array nil.
  private var containers: [PayloadKey.Container?] = []
  /// The documented key whose value comes next.
  private var key: Int?

  init(_ standIns: StandIns) { self.standIns = standIns }

  /// The payload at `range`; returns where it ends, or where it is no JSON any more.
  mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    readTokens(bytes, range, stopsBehindValue: false)
  }

  /// The object that begins at `start`; returns where it ends, or where it is no JSON any more.
  mutating func readObject(_ bytes: Span<UInt8>, from start: Int, limit: Int) -> Int {
    readTokens(bytes, start..<limit, stopsBehindValue: true)
  }

  private mutating func readTokens(_ bytes: Span<UInt8>, _ range: Range<Int>, stopsBehindValue: Bool) -> Int {
    containers = []
    key = nil
    var scanner = JSONScanner(range)
    var end = range.lowerBound
    do throws(JSONError) {
      while let token = try scanner.next(in: bytes) {
        take(token, bytes)
        end = token.end
        if stopsBehindValue, token.depth == 0, token.kind == .endObject { return end }
      }
      return range.upperBound
    } catch {
      return end
    }
  }

  private mutating func take(_ token: JSONScanner.Token, _ bytes: Span<UInt8>) {
    switch token.kind {
    case .key: takeKey(token, bytes)
    case .beginObject:
      containers.append(containers.isEmpty ? .root : key.flatMap(container))
      key = nil
    case .beginArray:
      containers.append(nil)
      key = nil
    case .endObject, .endArray: containers.removeLast()
    case .string:
      var text = (token.start + 1)..<(token.end - 1)
      // A sound is judged by its extension.
      if let key, PayloadKey.all[key].allowed == .soundFile,
        let judged = bytes.unplayableExtension(ofString: token.range)
      {
        text = text.lowerBound..<judged.lowerBound
      }
      if !isVocabulary(bytes, text) { add(text, TextStandIn.of(bytes, text, standIns), bytes) }
      key = nil
    case .number:
      // A badge and its like are what the notification asks for.
      if key == nil { add(token.range, standIns.number(token.range.map { bytes[$0] }), bytes) }
      key = nil
    case .true, .false, .null: key = nil
    }
  }

  private mutating func takeKey(_ token: JSONScanner.Token, _ bytes: Span<UInt8>) {
    key = nil
    let text = (token.start + 1)..<(token.end - 1)
    if case .some(let container?) = containers.last {
      let name = JSONValue.unescape(token.range, in: bytes) ?? []
      let path = (container.path.isEmpty ? "" : container.path + ".") + String(decoding: name, as: UTF8.self)
      key = PayloadKey.index(of: path)
      // What looks like one of Apple's keys is told of as such.
      let isAlike = !PayloadKey.spelt(name).isEmpty || PayloadKey.oneLetterOff(name, in: container) != nil
      if key != nil || isAlike { return }
    }
    add(text, TextStandIn.of(bytes, text, standIns, isKey: true), bytes)
  }

  private func container(of key: Int) -> PayloadKey.Container? {
    PayloadKey.Container.allCases.first { $0 != .root && $0.path == PayloadKey.all[key].path }
  }

  /// A word that Apple gives a meaning.
  private func isVocabulary(_ bytes: Span<UInt8>, _ text: Range<Int>) -> Bool {
    guard let key, text.count <= 24 else { return false }
    let word = String(decoding: text.map { bytes[$0] }, as: UTF8.self)
    if case .words(let words) = PayloadKey.all[key].allowed { return words.contains(word) }
    return word == "default" && ["aps.sound", "aps.sound.name"].contains(PayloadKey.all[key].path)
  }

  private mutating func add(_ range: Range<Int>, _ other: [UInt8], _ bytes: Span<UInt8>) {
    edits.append(Edit(range: range, bytes: other, isOpaque: false))
  }
}
