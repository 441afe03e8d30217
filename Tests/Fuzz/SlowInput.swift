import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Foundation
import TestSupport

/// Searches for inputs that cost far more for each byte than valid traffic. The first byte says what is read; the others are
/// repeated until they are long enough to measure.
enum SlowInput {
  /// How many times as much as valid traffic a byte may cost. Generous: the sanitizer makes allocations, which valid traffic
  /// does without, several times as expensive. What is quadratic exceeds it in 32 KiB.
  private static let bound = 1000.0
  private static let size = 32 << 10

  static func violation(_ bytes: [UInt8]) -> String? {
    guard let first = bytes.first, bytes.count > 1 else { return nil }
    let kind = Kind.allCases[Int(first) % Kind.allCases.count]
    let input = kind.input(Array(bytes.dropFirst()), size)
    // Another process may have the caches: only what is slow each time is.
    var ratio = Double.infinity
    for _ in 0..<3 where ratio > bound { ratio = min(ratio, kind.cost(of: input) / kind.validCost) }
    mark(Int(log2(max(ratio, 1)) * 2))
    return ratio > bound ? "a byte of \(kind) costs \(Int(ratio)) times as much as one of valid traffic" : nil
  }

  private enum Kind: Int, CaseIterable {
    case provider, gateway, feedback, text, connections, payload

    /// Pieces, each of which is a stream of its own.
    func input(_ unit: [UInt8], _ size: Int) -> [[UInt8]] {
      switch self {
      case .connections: Array(repeating: unit, count: max(1, size / (unit.count + Self.headers)))
      case .payload:
        [[0, 0, 32] + [UInt8](repeating: 7, count: 32) + length(of: size) + Self.repeated(unit, size)]
      default: [Self.repeated(unit, size)]
      }
    }

    /// What the packets of a short connection take besides its data.
    private static let headers = 170

    private func length(of count: Int) -> [UInt8] { [UInt8(count >> 8), UInt8(count & 255)] }

    private static func repeated(_ unit: [UInt8], _ size: Int) -> [UInt8] {
      Array(repeatElement(unit, count: (size + unit.count - 1) / unit.count).joined().prefix(size))
    }

    /// Of a byte, in seconds of the processor.
    func cost(of input: [[UInt8]]) -> Double {
      let start = clock()
      switch self {
      case .text:
        var sink = Checked.dissector(nil)
        var reader = TextReader(.standard)
        do throws(ReadError) {
          for piece in input { try reader.read(piece.span, into: &sink) }
          try reader.finish(into: &sink)
        } catch {}
        sink.finish()
      default:
        var sink = Checked.dissector(self == .gateway ? .gateway : self == .feedback ? .feedback : .provider)
        for (number, piece) in input.enumerated() {
          sink.open(ByteStream(number: number))
          sink.append(piece.span, from: .input(offset: 0), to: number)
          sink.close(number, .open)
        }
        sink.finish()
      }
      let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
      let bytes = input.reduce(0) { $0 + $1.count + (self == .connections ? Self.headers : 0) }
      return seconds / Double(bytes)
    }

    /// The least of several runs.
    var validCost: Double { Self.validCosts[rawValue] }

    private static let validCosts = allCases.map { kind in
      var generator = SeededGenerator(seed: 1)
      let payload = Array(#"{"aps":{"alert":"Message received from Bob","badge":3}}"#.utf8)
      let frames = (0..<200).map { number -> [UInt8] in
        [1, 0, 0, 1, UInt8(number), 0x7f, 0, 0, 0, 0, 32] + generator.bytes(32) + [0, UInt8(payload.count)] + payload
      }
      // Frames of the provider are what most inputs hold, so that is what others are compared with.
      let input: [[UInt8]]
      switch kind {
      case .connections: input = frames
      case .text: input = [Array(frames.joined().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined().utf8)]
      default: input = [Array(frames.joined())]
      }
      let reader = kind == .text || kind == .connections ? kind : .provider
      return (0..<9).map { _ in reader.cost(of: input) }.min() ?? 0
    }
  }

  /// What `check` does with records.
  private struct Checked: RecordSink {
    var view = CheckTextView(.standard)
    var out = Output()
    var wantsMore: Bool { true }

    static func dissector(_ role: StreamRole?) -> Dissector<Checked> {
      Dissector(
        .standard, policy: RolePolicy(role: role), counting: Counting(after: CheckTextView.recordsOfEachRule),
        into: Checked())
    }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { view.show(record, bytes, to: &out) }
    mutating func count(_ frames: CountedFrames) {
      for finding in frames.findings {
        view.count(finding.count, in: finding.frames, of: finding.rule, finding.severity)
      }
    }
  }

  /// Makes libFuzzer keep an input that is slower than those before it: each step is code of its own.
  private static func mark(_ step: Int) {
    switch step {
    case 1: reached &+= 3
    case 2: reached &+= 5
    case 3: reached &+= 7
    case 4: reached &+= 11
    case 5: reached &+= 13
    case 6: reached &+= 17
    case 7: reached &+= 19
    case 8: reached &+= 23
    case 9: reached &+= 29
    case 10: reached &+= 31
    case 11: reached &+= 37
    case 12: reached &+= 41
    case 13: reached &+= 43
    case 14: reached &+= 47
    case 15: reached &+= 53
    case 16...: reached &+= 59
    default: break
    }
  }

  nonisolated(unsafe) private static var reached = 0
}
