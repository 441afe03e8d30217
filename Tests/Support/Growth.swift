import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Foundation

/// How the work of reading grows with the input: twice the input may take at most three times the work.
///
/// Work is processor time of the thread, the least of several runs, so that other processes hardly count. What seems to
/// grow too fast is measured again with a longer input, where quadratic time shows more and chance does not.
public struct Growth: CustomStringConvertible, Sendable {
  /// The most that twice the input may take.
  public static let bound = 3.0

  public let kind: Kind
  /// The size of the shorter input in bytes.
  public let size: Int
  /// Processor time for the shorter input.
  public let seconds: Double
  /// Processor time for an input of twice the size.
  public let doubled: Double

  public var ratio: Double { doubled / max(seconds, 1e-9) }
  public var description: String {
    func milliseconds(_ seconds: Double) -> String { "\((seconds * 100_000).rounded() / 100) ms" }
    return "\(size) bytes of \(kind) take \(milliseconds(seconds)), twice as many \(milliseconds(doubled))"
  }
  public var violation: String? { ratio > Self.bound ? description : nil }

  /// Measures an input of this kind that consists of `unit` again and again.
  public init(_ kind: Kind, _ unit: [UInt8]) {
    var size = Self.smallest
    while size * 2 <= kind.largest, kind.seconds(for: unit, size) < Self.floor { size *= 2 }
    var growth = Growth(kind, unit, size)
    for _ in 0..<Self.attempts where growth.ratio > Self.suspicious && growth.doubled < Self.ceiling {
      size = min(size * 2, kind.largest)
      growth = Growth(kind, unit, size)
    }
    self = growth
  }

  /// Measures the input that a file of `Tests/Fuzz/slow` describes: the kind, then the unit; nil if there is none.
  public init?(_ bytes: [UInt8]) {
    guard let first = bytes.first, bytes.count > 1 else { return nil }
    self.init(Kind.allCases[Int(first) % Kind.allCases.count], Array(bytes.dropFirst()))
  }

  private init(_ kind: Kind, _ unit: [UInt8], _ size: Int) {
    (self.kind, self.size) = (kind, size)
    var (least, doubled, spent, runs) = (Double.infinity, Double.infinity, 0.0, 0)
    // The two take turns, so that a processor that gets slower slows both.
    while runs < Self.fewestRuns || (spent < Self.floor && runs < Self.mostRuns) {
      least = min(least, kind.seconds(for: unit, size))
      doubled = min(doubled, kind.seconds(for: unit, 2 * size))
      spent += least + doubled
      runs += 1
    }
    (seconds, self.doubled) = (least, doubled)
  }

  /// In bytes.
  private static let smallest = 8000
  /// In seconds. A shorter time says little, so the input is made longer if it may be.
  private static let floor = 0.01
  /// In seconds. A longer time says enough.
  private static let ceiling = 0.5
  /// A ratio that is looked at again.
  private static let suspicious = 2.6
  private static let attempts = 6
  private static let fewestRuns = 3
  private static let mostRuns = 40
}

extension Growth {
  /// What is read.
  public enum Kind: CaseIterable, Sendable {
    case provider, gateway, feedback
    /// A text; a zero byte ends what is at its beginning only.
    case text
    /// Many streams.
    case connections
    /// The payload of one frame.
    case payload
    /// Segments of TCP: for each, how far it is from its turn, its length, its flags and what its bytes are.
    case packets
    /// What a provider sent, a byte in each packet.
    case trickle

    /// The size of the longest input that is not doubled, in bytes.
    fileprivate var largest: Int { self == .payload ? 32_000 : 512_000 }

    /// Pieces, each a stream of its own, or a packet.
    private func input(_ unit: [UInt8], _ size: Int) -> [[UInt8]] {
      switch self {
      case .connections: Array(repeating: unit, count: max(1, size / (unit.count + Self.headers)))
      case .payload:
        [[0, 0, 32] + [UInt8](repeating: 7, count: 32) + [UInt8(size >> 8), UInt8(size & 255)] + repeated(unit, size)]
      case .packets: Self.segments(unit, size)
      case .text:
        unit.firstIndex(of: 0).map { end in
          [unit[..<end] + repeated(Array(unit[(end + 1)...]), size)]
        } ?? [repeated(unit, size)]
      default: [repeated(unit, size)]
      }
    }

    /// What the packets of a short connection take besides its data.
    private static let headers = 170

    private func repeated(_ unit: [UInt8], _ size: Int) -> [UInt8] {
      Array(repeatElement(unit, count: unit.isEmpty ? 0 : (size / unit.count + 1)).joined().prefix(size))
    }

    private static func segments(_ script: [UInt8], _ size: Int) -> [[UInt8]] {
      var (packets, left, next) = ([rawPacket(2, sequence: .max, [])], size, 0)
      while left > 0 {
        for start in stride(from: 0, to: max(script.count - 3, 1), by: 4) {
          let step = Array(script[start...].prefix(4)) + [0, 0, 0, 0]
          let bytes = [UInt8](repeating: step[3], count: Int(step[1] & 63))
          let place = next + Int(Int8(bitPattern: step[0]))
          packets.append(rawPacket(step[2], sequence: UInt32(truncatingIfNeeded: place), bytes))
          next += bytes.count
          left -= 40 + bytes.count
        }
      }
      return packets
    }

    /// Processor time for reading the unit until there are `size` bytes.
    fileprivate func seconds(for unit: [UInt8], _ size: Int) -> Double {
      let input = input(unit, size)
      let start = Self.processorTime
      let role: StreamRole? =
        switch self {
        case .text, .packets: nil
        case .gateway: .gateway
        case .feedback: .feedback
        default: .provider
        }
      var sink = Checked.dissector(role)
      switch self {
      case .text:
        var reader = TextReader(.standard)
        do throws(ReadError) {
          for piece in input { try reader.read(piece.span, into: &sink) }
          try reader.finish(into: &sink)
        } catch {}
      case .packets:
        var reassembler = Reassembler()
        for (number, packet) in input.enumerated() {
          let origin = Origin.Packet(number: number + 1, time: nil)
          reassembler.packet(packet.span, link: .raw, origin: origin, into: &sink)
        }
        reassembler.finish(into: &sink)
      case .trickle:
        sink.open(ByteStream(number: 0))
        let bytes = input[0]
        for index in bytes.indices {
          let origin = Origin.Packet(number: index + 1, time: nil)
          sink.append(bytes.span.extracting(index...index), from: .packet(origin), to: 0)
        }
      default:
        for (number, piece) in input.enumerated() {
          sink.open(ByteStream(number: number))
          sink.append(piece.span, from: .input(offset: 0), to: number)
          sink.close(number, .open)
        }
      }
      sink.finish()
      return Self.processorTime - start
    }

    /// Seconds that this thread has used.
    private static var processorTime: Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }

  /// What `check` does with records.
  private struct Checked: RecordSink {
    var view = CheckTextView(.standard)
    var out = Output()
    var wantsMore: Bool { true }

    static func dissector(_ role: StreamRole?) -> Dissector<Checked> {
      Dissector(
        .standard, policy: RolePolicy(role: role), counting: Counting(after: CheckTextView.recordsOfEachRule ?? .max),
        into: Checked())
    }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { view.show(record, bytes, to: &out) }
    mutating func count(_ frames: CountedFrames) {
      for finding in frames.findings {
        view.count(finding)
      }
    }
  }
}
