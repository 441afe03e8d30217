extension Output {
  /// Writes JSON so that it can be the text of a `script` element. In JSON these characters occur only in strings, so
  /// an escape changes no value.
  mutating func scriptJSON(_ json: borrowing Output) {
    json.read { text in
      for index in text.indices {
        switch text[index] {
        case UInt8(ascii: "<"): write("\\u003c")
        case UInt8(ascii: ">"): write("\\u003e")
        case UInt8(ascii: "&"): write("\\u0026")
        case let byte: self.byte(byte)
        }
      }
    }
  }
}

/// The page without its contents: text between places that are named in comments, `<!--@name-->`.
struct PageTemplate {
  private let pieces: [ArraySlice<UInt8>]

  init(_ text: [UInt8]) {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: Self.opening), let end = rest.firstIndex(of: Self.closing, from: start) {
      pieces.append(rest[..<start])
      pieces.append(rest[(start + Self.opening.count)..<end])
      rest = rest[(end + Self.closing.count)...]
    }
    self.pieces = pieces + [rest]
  }

  private static let opening = Array("<!--@".utf8)
  private static let closing = Array("-->".utf8)

  /// Writes the page. What `fill` writes for a place is not searched for places.
  func write(to out: inout Output, _ fill: (String, inout Output) -> Void) {
    for (index, piece) in pieces.enumerated() {
      if index.isMultiple(of: 2) { out.write(Array(piece)) } else { fill(String(decoding: piece, as: UTF8.self), &out) }
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func firstIndex(of text: [UInt8], from start: Int? = nil) -> Int? {
    var index = start ?? startIndex
    while index + text.count <= endIndex {
      if self[index..<(index + text.count)].elementsEqual(text) { return index }
      index += 1
    }
    return nil
  }
}
