import APNSPayload
import Octets

/// Replaces the parts of a payload that may be private: texts, and the app's keys and numbers. Keys and words that
/// Apple documents are kept, as are brackets, white space, true, false and null.
struct PayloadRedaction {
  /// The redacted bytes.
  private(set) var redacted: [UInt8]
  /// The offset of the end of what was read, or of the first JSON error.
  private(set) var end: Int
  private let start: Int
  private let standIns: StandIns
  /// The enclosing objects and arrays: the documented object, or nil for another object or an array.
  private var containers: [PayloadKey.Container?] = []
  /// The documented key of the next value.
  private var key: PayloadKey?

  /// - Parameters:
  ///   - range: The payload in `bytes`.
  ///   - stopsAfterValue: Whether other bytes may follow the payload in the range.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>, _ standIns: StandIns, stopsAfterValue: Bool = false) {
    self.standIns = standIns
    start = range.lowerBound
    end = start
    redacted = []
    var scanner = JSONScanner(range)
    do throws(JSONError) {
      while let token = try scanner.next(in: bytes) {
        add(bytes, end..<token.end)
        process(token, bytes)
        if stopsAfterValue, token.depth == 0, token.kind == .endObject { return }
      }
      add(bytes, end..<range.upperBound)
    } catch {}
  }

  private mutating func add(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    redacted.append(contentsOf: bytes.extracting(range))
    end = range.upperBound
  }

  private mutating func process(_ token: JSONScanner.Token, _ bytes: Span<UInt8>) {
    let key = key
    self.key = nil
    switch token.kind {
    case .key: processKey(token, bytes)
    case .beginObject:
      containers.append(containers.isEmpty ? .root : PayloadKey.Container.allCases.first { $0.path == key?.path })
    case .beginArray: containers.append(nil)
    case .endObject, .endArray: containers.removeLast()
    case .string:
      var text = (token.start + 1)..<(token.end - 1)
      if key?.path == "aps.sound", text.map({ bytes[$0] }).elementsEqual("default".utf8) { return }
      // The rules check the extension of a sound file.
      if key?.allowed == .soundFile, let judged = bytes.unplayableExtension(ofString: token.range) {
        text = text.lowerBound..<judged.lowerBound
      }
      replace(text, standIns.text(bytes, text))
    // Numbers that are documented, such as badges, are kept, because findings are about them.
    case .number where key?.types != [.number]: replace(token.range, standIns.number(token.range.map { bytes[$0] }))
    case .number, .true, .false, .null: break
    }
  }

  private mutating func processKey(_ token: JSONScanner.Token, _ bytes: Span<UInt8>) {
    let text = (token.start + 1)..<(token.end - 1)
    if case .some(let container?) = containers.last {
      let name = JSONValue.unescape(token.range, in: bytes) ?? []
      let path = (container.path.isEmpty ? "" : container.path + ".") + String(decoding: name, as: UTF8.self)
      key = PayloadKey.index(of: path).map { PayloadKey.all[$0] }
      // A key similar to a documented one is kept, because findings name it.
      let isAlike = !PayloadKey.spelt(name).isEmpty || PayloadKey.oneLetterOff(name, in: container) != nil
      if key != nil || isAlike { return }
    }
    replace(text, standIns.text(bytes, text, .key))
  }

  private mutating func replace(_ range: Range<Int>, _ other: [UInt8]) {
    redacted.replaceSubrange((range.lowerBound - start)..<(range.upperBound - start), with: other)
  }
}
