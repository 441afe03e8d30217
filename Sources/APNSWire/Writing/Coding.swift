import Octets

/// An encoding that senders use by mistake, for a value or a complete frame, in place of the bytes themselves.
package struct Coding: Sendable {
  package let encode: @Sendable ([UInt8]) -> [UInt8]

  package init(encode: @escaping @Sendable ([UInt8]) -> [UInt8]) { self.encode = encode }
}

extension Coding {
  package static let hexText = Coding { Array($0.hexDigits.utf8) }

  /// `[12, 255, ...]`.
  package static let decimalList = Coding { bytes in
    Array(("[" + bytes.map { String($0) }.joined(separator: ", ") + "]").utf8)
  }

  /// The result of decoding hexadecimal digits as base64: three bytes for four digits.
  package static let hexReadAsBase64 = Coding { bytes in
    let text = Array(bytes.hexDigits.utf8)
    return stride(from: 0, to: text.count - 3, by: 4).flatMap { start in
      let bits = text[start..<(start + 4)].reduce(0) { $0 << 6 | UInt64(Base64.value(of: $1) ?? 0) }
      return [UInt8](bigEndian: bits, width: 3)
    }
  }

  package static let base64Text = Coding { bytes in
    stride(from: 0, to: bytes.count, by: 3).flatMap { Base64.characters(of: bytes[$0..<min($0 + 3, bytes.count)]) }
  }

  /// Each byte is read as a Latin-1 character and written in UTF-8: bytes from 0x80 on become two.
  package static let latin1InUTF8 = Coding { bytes in
    bytes.flatMap { $0 < 0x80 ? [$0] : [0xc0 | $0 >> 6, 0x80 | $0 & 0x3f] }
  }

  /// U+FFFD replaces each byte that is not UTF-8.
  package static let replaced = Coding { Array(String(decoding: $0, as: UTF8.self).utf8) }

  /// Little-endian.
  package static let reversed = Coding { $0.reversed() }

  /// A time in milliseconds instead of seconds.
  package static let milliseconds = Coding { [UInt8](bigEndian: $0.bigEndianNumber * 1000, width: 8) }

  /// A number in decimal digits.
  package static let decimalText = Coding { Array(String($0.bigEndianNumber).utf8) }

  package static let percent = Coding { bytes in
    bytes.flatMap { byte -> [UInt8] in
      let isVerbatim = 0x30...0x39 ~= byte || 0x61...0x7a ~= byte | 0x20 || "-_.~".utf8.contains(byte)
      return isVerbatim ? [byte] : [UInt8(ascii: "%")] + Array([byte].hexDigits.uppercased().utf8)
    }
  }

  /// `b'{...}'`, as Python prints bytes.
  package static let pythonBytes = Coding { bytes in
    Array("b'".utf8)
      + bytes.flatMap { byte -> [UInt8] in
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "'"): [UInt8(ascii: "\\"), byte]
        case 0x20...0x7e: [byte]
        default: Array("\\x".utf8) + Array(byte.hexDigits.utf8)
        }
      } + Array("'".utf8)
  }

  /// Latin-1 text instead of UTF-8; characters that Latin-1 has not stay as they are.
  package static let latin1 = Coding { bytes in
    let text = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { UInt8(exactly: $0.value) }
    return text.contains(nil) ? bytes : text.compactMap(\.self)
  }
}

// Encodings of complete frames.
extension Coding {
  package static let pairsSwapped = Coding { bytes in
    var swapped = bytes
    for index in stride(from: 0, to: bytes.count - 1, by: 2) { swapped.swapAt(index, index + 1) }
    return swapped
  }

  /// Line feeds as Windows writes them to files in text mode.
  package static let crlf = Coding { bytes in bytes.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] } }
}
