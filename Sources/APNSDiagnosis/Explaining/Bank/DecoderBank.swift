/// All decoders, and the search for those that may explain bytes.
struct DecoderBank: Sendable {
  /// One decoder, or two that apply one after the other, and what they give.
  struct Decoding {
    /// Indices into ``DecoderBank/rows``: the decoder that applies first comes first.
    let rows: [Int], price: Int, decoded: Decoded
    /// The JSON object in a decoded payload.
    var object = 0..<0
  }

  /// The fewest bytes of a decoded text that are evidence.
  static let shortestPayload = 20
  /// The rows are made for the first search, because that takes longer than to read a correct frame.
  private let table: Once<[Decoder]>

  /// - Parameter inflate: Decompresses; without it gzip, zlib and deflate are missing.
  init(inflate: Inflate?) { table = Once { Decoder.table(inflate: inflate) } }

  var rows: [Decoder] { table.value }

  /// Decodes with each decoder, and with each two if `depth` is 2, if the result may be what `use` says. A frame may
  /// begin with bytes, at most 16, for which `mayBeginFrame` returns true.
  func decodings(
    of source: [UInt8], from start: Int, for use: Decoder.Uses, limit: Int, depth: Int = 2,
    mayBeginFrame: (ArraySlice<UInt8>) -> Bool
  ) -> [Decoding] {
    func isBeginning(_ bytes: ArraySlice<UInt8>) -> Bool {
      use == .token || (use == .frames ? !bytes.isEmpty && mayBeginFrame(bytes) : Self.mayBeginPayload(bytes))
    }
    func isBeginning(with byte: UInt8) -> Bool {
      use == .payload ? byte == 0x7b : isBeginning(Self.bytes[Int(byte)...Int(byte)])
    }
    func isPromising(_ bytes: ArraySlice<UInt8>, _ isLast: Bool) -> Bool {
      isBeginning(bytes) || !isLast && Self.mayBeginText(bytes, use)
    }
    guard start >= 0, start < source.count else { return [] }
    let rows = rows
    // Stuffed bytes begin like decoded ones, unless the first of them are stuffed or delimit frames.
    let triesStuffing = isPromising(source[start...].prefix(16), depth < 2) || [0x7e, 0xc0].contains(source[start])
    let least = use == .token ? Evidence.tokenSize : Self.shortestPayload
    var found: [Decoding] = []
    for (index, row) in rows.enumerated() where row.uses.contains(use) {
      let (traits, isStuffing) = (row.traits, row.mayBeginIsSlow)
      let isLast = depth < 2 || !traits.isDisjoint(with: [.blind, .single])
      guard use != .token || !traits.contains(.blind),
        row.firstByte(of: source, at: start).map(isBeginning(with:)) ?? true,
        isStuffing && triesStuffing || row.mayBegin(in: source, at: start, limit: isStuffing ? 16 : limit),
        use == .token || traits.contains(.complete)
          || [4, 16].allSatisfy({ isPromising(row.decode(source, from: start, limit: $0).bytes[...], isLast) }),
        !isStuffing || row.mayBegin(in: source, at: start, limit: limit)
      else { continue }
      let (decoded, price) = (row.decode(source, from: start, limit: limit), row.price)
      guard decoded.bytes.count >= least, !source[start...].starts(with: decoded.bytes) else { continue }
      if isBeginning(decoded.bytes.prefix(16)) { found.append(Decoding(rows: [index], price: price, decoded: decoded)) }
      if isLast { continue }
      let inner = decodings(of: decoded.bytes, from: 0, for: use, limit: limit, depth: 1, mayBeginFrame: mayBeginFrame)
      found += inner.map { inner in
        var both = inner.decoded
        both.ends = both.ends.map { $0 < 0 ? -1 : decoded.ends[Int($0)] }
        return Decoding(rows: [index] + inner.rows, price: price + inner.price + Price.second, decoded: both)
      }
    }
    return found
  }

  /// All bytes, so that a slice of one needs no allocation.
  private static let bytes = Array(UInt8.min...UInt8.max)

  /// Whether an object with a name may begin with these bytes, or a name before it.
  private static func mayBeginPayload(_ bytes: ArraySlice<UInt8>) -> Bool {
    let (object, rest) = (bytes.drop(while: ByteSet.space.contains), bytes.drop(while: ByteSet.name.contains))
    let name = object.dropFirst().first { !ByteSet.space.contains($0) }
    return !bytes.isEmpty && object.first ?? 0x7b == 0x7b && name ?? 0x22 == 0x22
      || rest.count < bytes.count && assignment.contains(rest.first ?? (bytes.count < 16 ? 0x3d : 0))
  }
  private static let (assignment, text): (ByteSet, ByteSet) = ("=(:", "{[\"'&%\\\u{1f}x\u{ef}")

  /// Whether these bytes may be the input of a second decoder.
  private static func mayBeginText(_ bytes: ArraySlice<UInt8>, _ use: Decoder.Uses) -> Bool {
    guard let first = bytes.first(where: { !ByteSet.space.contains($0) }) else { return false }
    return use == .payload
      ? text.contains(first) : first == 0x1f || first == 0x78 || bytes.allSatisfy(ByteSet.printable.contains)
  }
}
