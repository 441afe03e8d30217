import APNSInput
import APNSPayload
import APNSWire
import Octets

/// A place in a line that is taken apart piece by piece. What is not as it would be written stops it: the line is then
/// read in another way, so nothing has to be said about it.
struct LineCursor {
  var index = 0

  /// Passes over a piece of `text`, if that stands here.
  @inline(__always)
  mutating func take(_ text: borrowing [UInt8], _ piece: Range<Int>, in line: Span<UInt8>) -> Bool {
    guard line.count - index >= piece.count, text.span.isEqual(piece, to: line, from: index) else { return false }
    index += piece.count
    return true
  }

  @inline(__always)
  mutating func take(_ text: StaticString, in line: Span<UInt8>) -> Bool {
    let count = text.utf8CodeUnitCount
    guard line.count - index >= count else { return false }
    let isEqual = text.withUTF8Buffer { bytes in
      // A literal's own bytes, and any eight bytes are a number; the last ones may be compared twice.
      guard count >= 8, let start = unsafe UnsafeRawPointer(bytes.baseAddress) else {
        for offset in 0..<count where unsafe bytes[offset] != line[index + offset] { return false }
        return true
      }
      for offset in stride(from: 0, to: count - 8, by: 8) {
        let word = unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        if UInt64(littleEndian: word) != line.word(at: index + offset) { return false }
      }
      let last = unsafe start.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      return UInt64(littleEndian: last) == line.word(at: index + count - 8)
    }
    if isEqual { index += count }
    return isEqual
  }

  /// A whole number of at most 18 digits.
  @inline(__always)
  mutating func number(in line: Span<UInt8>) -> UInt64? {
    let start = index
    var value: UInt64 = 0
    while index < line.count, index - start < 19 {
      let digit = line[index] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value &* 10 &+ UInt64(digit)
      index += 1
    }
    let count = index - start
    return (1...18).contains(count) && (count == 1 || line[start] != UInt8(ascii: "0")) ? value : nil
  }

  /// A number of so many digits, zeros before it included.
  @inline(__always)
  mutating func number(digits: Int, in line: Span<UInt8>) -> Int? {
    guard line.count - index >= digits else { return nil }
    var value = 0
    for _ in 0..<digits {
      let digit = line[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
      index += 1
    }
    return value
  }

  /// Pairs of hexadecimal digits up to a quote, which goes with them.
  @inline(__always)
  mutating func hex(in line: Span<UInt8>, into out: inout Output) -> Bool {
    var place = index
    out.fill(atMost: (line.count - place) / 2 + 4) { room, start in
      var end = start
      while line.count - place >= 8, let octets = line.word(at: place).hexOctets {
        room.storeBytes(of: octets.littleEndian, toByteOffset: end, as: UInt32.self)
        place += 8
        end += 4
      }
      while line.count - place >= 2, let high = line[place].hexDigitValue, let low = line[place + 1].hexDigitValue {
        room.storeBytes(of: high << 4 | low, toByteOffset: end, as: UInt8.self)
        place += 2
        end += 1
      }
      return end
    }
    index = place
    return take("\"", in: line)
  }

  /// A string without escapes, all ASCII: its place between the quotes.
  @inline(__always)
  mutating func plainString(in line: Span<UInt8>) -> Range<Int>? {
    guard take("\"", in: line) else { return nil }
    let start = index
    index = line.endOfPlainText(from: start, end: line.count)
    let end = index
    return take("\"", in: line) ? start..<end : nil
  }

  /// A string, its escapes resolved.
  @inline(__always)
  mutating func string(in line: Span<UInt8>, into out: inout Output) -> Bool {
    guard take("\"", in: line) else { return false }
    var place: Int? = index
    out.fill(atMost: line.count - index + 8) { room, start in
      var end = start
      place = room.storeString(line, from: index, at: &end)
      return end
    }
    guard let place else { return false }
    index = place
    return true
  }
}

extension MutableRawSpan {
  /// The characters of a string up to the quote that ends it; the place behind that, or nil where it is no string.
  @inline(__always)
  fileprivate mutating func storeString(_ line: Span<UInt8>, from start: Int, at end: inout Int) -> Int? {
    var index = start
    while true {
      index = storePlain(line, from: index, at: &end)
      guard index < line.count else { return nil }
      switch line[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"):
        // Most are the quotes of JSON.
        if line.count - index >= 2, line[index + 1] == UInt8(ascii: "\"") {
          store(UInt8(ascii: "\""), at: &end)
          index += 2
          continue
        }
        guard let next = storeEscaped(line, at: index, &end) else { return nil }
        index = next
      case 0x80...:
        let last = line.endOfLongCharacters(from: index, end: line.count)
        guard last > index else { return nil }
        store(line, index..<last, at: &end)
        index = last
      default: return nil
      }
    }
  }

  @inline(__always)
  private mutating func storePlain(_ line: Span<UInt8>, from start: Int, at end: inout Int) -> Int {
    var index = start
    while line.count - index >= 8 {
      let word = line.word(at: index)
      storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
      let special = word.notPlain
      let count = special == 0 ? 8 : special.trailingZeroBitCount / 8
      index += count
      end += count
      if special != 0 { return index }
    }
    while index < line.count, UInt64(line[index]).notPlain & 0x80 == 0 {
      store(line[index], at: &end)
      index += 1
    }
    return index
  }

  /// The character that an escape names; nil where there is none of that name.
  @inline(__always)
  private mutating func storeEscaped(_ line: Span<UInt8>, at start: Int, _ end: inout Int) -> Int? {
    guard line.count - start >= 2 else { return nil }
    switch line[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      store(line[start + 1], at: &end)
      return start + 2
    case UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"),
      UInt8(ascii: "t"):
      break
    case UInt8(ascii: "u"):
      guard line.count - start >= 6, line.isHexNumber(at: start + 2) else { return nil }
    default: return nil
    }
    var index = start
    let value = line.escapedCharacter(at: &index, end: line.count)
    // Of a pair, the second half was read with the first; half a pair is no character.
    guard index - start < 12 || line.isHexNumber(at: index - 4), let scalar = Unicode.Scalar(value) else { return nil }
    for byte in UTF8.encode(scalar) ?? UTF8.EncodedScalar() { store(byte, at: &end) }
    return index
  }
}

extension LineCursor {
  /// Where the record came from, as far as its line says so.
  @inline(__always)
  mutating func origin(of entry: inout NDJSONReader.Entry, in line: Span<UInt8>) -> Bool {
    if take(",\"file\":", in: line), plainString(in: line) == nil { return false }
    guard take(",\"stream\":", in: line) else { return true }
    guard let stream = number(in: line) else { return false }
    entry.stream = Int(stream)
    if take(",\"from\":", in: line) {
      guard let source = endpoint(in: line), take(",\"to\":", in: line), let destination = endpoint(in: line)
      else { return false }
      entry.route = ByteStream.Route(source: source, destination: destination)
    }
    // The frame's type tells who wrote it.
    if take(",\"direction\":", in: line), !take("\"provider-to-apns\"", in: line),
      !take("\"apns-to-provider\"", in: line)
    {
      return false
    }
    if take(",\"packets\":[", in: line) {
      repeat {
        guard let packet = number(in: line) else { return false }
        entry.packets.append(Int(packet))
      } while take(",", in: line)
      guard take("]", in: line) else { return false }
    }
    guard take(",\"time\":\"", in: line) else { return true }
    entry.time = time(in: line)
    return entry.time != nil
  }

  private mutating func endpoint(in line: Span<UInt8>) -> Endpoint? {
    let start = index
    if take("\"", in: line), let address = address(in: line), let port = number(in: line), port < 65536,
      take("\"", in: line)
    {
      return Endpoint(address: .v4(address), port: UInt16(port))
    }
    index = start
    guard let range = plainString(in: line) else { return nil }
    return Endpoint(String(copying: line.extracting(range)))
  }

  /// Of IPv4, with the colon behind it.
  @inline(__always)
  private mutating func address(in line: Span<UInt8>) -> UInt32? {
    var address: UInt32 = 0
    for part in 0..<4 {
      guard let byte = number(in: line), byte < 256, part == 3 ? take(":", in: line) : take(".", in: line)
      else { return nil }
      address = address << 8 | UInt32(byte)
    }
    return address
  }

  /// As `Output.time` writes it, with the quote behind it.
  private mutating func time(in line: Span<UInt8>) -> CaptureTime? {
    guard let year = number(digits: 4, in: line), take("-", in: line), let month = number(digits: 2, in: line),
      take("-", in: line), let day = number(digits: 2, in: line), take("T", in: line),
      let hour = number(digits: 2, in: line), take(":", in: line), let minute = number(digits: 2, in: line),
      take(":", in: line), let second = number(digits: 2, in: line), take(".", in: line),
      let micros = number(digits: 6, in: line),
      let seconds = UTC.seconds(year, month, day, hour, minute, second)
    else { return nil }
    if take("Z\"", in: line) { return CaptureTime(seconds: seconds, nanoseconds: micros * 1000, digits: 6) }
    guard let nanos = number(digits: 3, in: line), take("Z\"", in: line) else { return nil }
    return CaptureTime(seconds: seconds, nanoseconds: micros * 1000 + nanos, digits: 9)
  }

  /// Findings are derived; they must be JSON, and are not looked at.
  @inline(__always)
  mutating func skipFindings(in line: Span<UInt8>) -> Bool {
    guard take(",\"findings\":", in: line) else { return true }
    // The last byte closes the record.
    let end = line.count - 1
    guard end > index, JSONScanner.firstError(in: line, range: index..<end) == nil else { return false }
    index = end
    return true
  }
}

extension String {
  fileprivate init(copying bytes: Span<UInt8>) {
    var copy: [UInt8] = []
    copy.append(contentsOf: bytes)
    self.init(decoding: copy, as: UTF8.self)
  }
}
