import Octets

// Codings that frame, mask or compress bytes.
extension ByteCoding {
  /// The first byte is doubled wherever it occurs.
  static let firstByteDoubled = units { cursor, bytes in
    guard let byte = cursor.next() else { return false }
    bytes.append(byte)
    let isDoubled = byte == bytes[0] && byte == cursor[0]
    cursor.advance(isDoubled ? 1 : 0)
    return isDoubled || bytes.count > 1
  }.written { bytes in bytes.flatMap { $0 == bytes[0] ? [$0, $0] : [$0] } }.beginning { $0[0] }

  static let slip = stuffed([0xc0: [0xdb, 0xdc], 0xdb: [0xdb, 0xdd]], end: [0xc0])
  /// The framing of HDLC and PPP, which escapes control characters too.
  static let hdlc = stuffed(
    Dictionary(uniqueKeysWithValues: ((0..<0x20) + [0x7d, 0x7e]).map { ($0, [0x7d, $0 ^ 0x20]) }), end: [0x7e])

  /// Consistent overhead byte stuffing: each block begins with the distance to the next zero; a zero ends the frame.
  static let cobs = units { cursor, bytes in
    guard let code = cursor.next(), code > 0, case let block = cursor.prefix(Int(code) - 1), block.count == code - 1,
      !block.contains(0)
    else { return false }
    bytes += block
    cursor.advance(block.count)
    cursor.isAtLastUnit = cursor.take("\0")
    if !cursor.isAtLastUnit, code < 255, cursor[0] != nil { bytes.append(0) }
    return true
  }.written { bytes in
    bytes.split(separator: 0, omittingEmptySubsequences: false).flatMap { block in
      stride(from: 0, through: block.count, by: 254).flatMap { start in
        let part = block.dropFirst(start).prefix(254)
        return [UInt8(part.count + 1)] + part
      }
    } + [0]
  }.beginning { $0[0] == 1 ? 0 : $0[1] }

  /// Bytes at offsets that frames begin with. The first three suffice for a mask of four bytes.
  private static let beginnings: [KeyValuePairs<Int, UInt8>] = [
    [0: 2, 1: 0, 2: 0, 5: 1, 6: 0, 7: 32], [0: 0, 1: 0, 2: 32, 35: 0, 37: 0x7b], [0: 1, 9: 0, 10: 32, 43: 0, 45: 0x7b],
    [0: 2, 1: 0, 2: 0], [0: 0, 1: 0, 2: 32, 37: 0x7b], [0: 1, 9: 0, 10: 32, 45: 0x7b],
  ]

  /// Frames XORed with a repeated key. A sender writes with the example; other keys have its size.
  static func masked(_ example: UInt8...) -> ByteCoding {
    ByteCoding { start, limit in
      for beginning in beginnings {
        var key = SIMD4<Int16>(repeating: -1)
        let fits = beginning.allSatisfy { offset, value in
          let (known, byte) = (key[offset % example.count], start[offset].map { Int16($0 ^ value) } ?? -1)
          key[offset % example.count] = byte
          return byte >= 0 && (known < 0 || known == byte)
        }
        guard fits, example.indices.allSatisfy({ key[$0] >= 0 }), key.max() > 0 else { continue }
        return start.decodeUnits(limit: limit) { cursor, bytes in
          guard let byte = cursor.next() else { return false }
          bytes.append(byte ^ UInt8(key[bytes.count % example.count]))
          return true
        }
      }
      return Decoded(at: start.offset)
    }.written { bytes in bytes.indices.map { bytes[$0] ^ example[$0 % example.count] } }
  }

  /// A compressed stream.
  static func deflated(windowBits: Int, _ inflate: @escaping Inflate) -> ByteCoding {
    ByteCoding { cursor, limit in
      var decoded = Decoded(at: cursor.offset)
      guard windowBits > 0 || mayBeginBlock(cursor),
        let (bytes, end) = inflate(cursor.source, cursor.offset, windowBits, min(limit, 70_000))
      else { return decoded }
      decoded.bytes = bytes
      decoded.endUnit(at: end)
      return decoded
    }
  }

  /// Whether a block of deflate may begin here, and if its codes are the fixed ones, a JSON object in it.
  private static func mayBeginBlock(_ cursor: Cursor) -> Bool {
    func bits(_ start: Int, _ count: Int) -> Int {
      (start..<(start + count)).reversed().reduce(0) { $0 << 1 | Int(cursor[$1 >> 3] ?? 0) >> ($1 & 7) & 1 }
    }
    switch bits(1, 2) {
    case 0: return bits(8, 16) ^ bits(24, 16) == 0xffff
    case 1: return bits(3, 8) == 0b1101_0101  // the code of `{`, its first bit last
    case 2:  // The code of the code lengths must be complete.
      let lengths = (0..<(bits(13, 4) + 4)).map { bits(17 + 3 * $0, 3) }
      return bits(3, 5) < 30 && bits(8, 5) < 30 && lengths.reduce(0) { $0 + ($1 > 0 ? 128 >> $1 : 0) } == 128
    default: return false
    }
  }
}

/// Decompresses deflate data from `start` on: with a zlib header if `windowBits` is 15, a gzip header if it is 31, and
/// none if it is -15. Returns nil if the data is not complete, or decompresses to more than `limit` bytes.
package typealias Inflate =
  @Sendable (_ source: [UInt8], _ start: Int, _ windowBits: Int, _ limit: Int) -> (bytes: [UInt8], end: Int)?
