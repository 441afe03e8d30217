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

  /// Writes an element with text. `tag`: its start tag without brackets, such as `p class="remark"`.
  mutating func element(_ tag: String, _ text: String) {
    write("<\(tag)>")
    markup(text)
    write("</\(tag.prefix { $0 != " " })>")
  }

  mutating func attribute(_ name: String, _ text: String) {
    write(" \(name)=\"")
    markup(text)
    write("\"")
  }

  /// Writes a page: text between places that are named in comments, `<!--@name-->`. What `fill` writes for a place is
  /// not searched for places.
  mutating func page(_ template: [UInt8], _ fill: (Substring, inout Output) -> Void) {
    let pieces = String(decoding: template, as: UTF8.self).split(separator: "<!--@", omittingEmptySubsequences: false)
    for (index, piece) in pieces.enumerated() {
      let name = piece.firstRange(of: "-->")
      if index > 0, let name { fill(piece[..<name.lowerBound], &self) }
      write(String(piece[(name?.upperBound ?? piece.startIndex)...]))
    }
  }
}
