/// Quotes a word for a POSIX shell if necessary.
package func shellWord(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: ":"):
      true
    default: false
    }
  }
  return isPlain && !text.isEmpty ? text : quotedForShell(text)
}

/// The words as one line of a shell.
public func shellLine(_ words: [String]) -> String { words.map(shellWord).joined(separator: " ") }
