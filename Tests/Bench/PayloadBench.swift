import APNSPayload
import APNSWire
import Foundation

/// What reading payloads costs, beside what the least that can be asked of them costs: the standard library's check that
/// they are UTF-8 (`UTF8Span`), which no parser of JSON can do without.
struct PayloadBench {
  let bytes: [UInt8]
  let passes: Int
  private let payloads: [Range<Int>]
  private let size: Int

  init(_ bytes: [UInt8], passes: Int) {
    self.bytes = bytes
    self.passes = passes
    payloads = Self.payloads(in: bytes.span)
    size = payloads.reduce(0) { $0 + $1.count }
  }

  func run() {
    report("UTF-8 by the standard library") { bytes, range in
      (try? UTF8Span(validating: bytes.extracting(range))) == nil ? 0 : 1
    }
    report("UTF-8 by the scanner's code") { bytes, range in bytes.isUTF8(range) ? 1 : 0 }
    report("payload scan") { bytes, range in
      var scanner = JSONScanner(range)
      var sum = 0
      while let token = try? scanner.next(in: bytes) { sum &+= token.end }
      return sum
    }
    var outline = PayloadOutline()
    report("payload outline") { bytes, range in
      outline.read(bytes, range)
      return outline.members.count &+ outline.whiteSpace
    }
  }

  private static func payloads(in bytes: Span<UInt8>) -> [Range<Int>] {
    let catalog = Catalog.standard
    var ranges: [Range<Int>] = []
    var position = 0
    while position < bytes.count {
      let frame = catalog.frame(at: position, in: bytes, of: .provider)
      catalog.forEachField(of: frame, in: bytes) { leaf in
        if leaf.kind == .value, leaf.state == .whole, catalog.field(of: leaf)?.name == Field.payload.name {
          ranges.append(leaf.range)
        }
      }
      position = frame.end
    }
    return ranges
  }

  /// The best of all passes, as for frames.
  private func report(_ name: String, _ work: (Span<UInt8>, Range<Int>) -> Int) {
    let clock = ContinuousClock()
    var best = Duration.seconds(1_000_000)
    var sum = 0
    for _ in 0..<passes {
      let span = bytes.span
      let time = clock.measure {
        for range in payloads { sum &+= work(span, range) }
      }
      best = min(best, time)
    }
    let nanoseconds = (Double(best.components.attoseconds) / 1e18 + Double(best.components.seconds)) * 1e9
    print(
      "\(name): \(payloads.count) payloads, \(String(format: "%.1f", nanoseconds / Double(max(payloads.count, 1)))) ns "
        + "a payload, \(String(format: "%.3f", nanoseconds / Double(max(size, 1)))) ns a byte, "
        + "\(String(format: "%.2f", Double(size) / nanoseconds)) GB/s (checksum \(sum & 0xffff))")
  }
}
