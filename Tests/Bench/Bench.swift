import APNSWire
import Foundation

// Framing, field walk and payloads through the public API, across the module boundary:
//   apnscope-bench FILE [PASSES [COPIES]]   FILE holds raw frames of a provider
// The work does not allocate, so its allocation count under valgrind is the same for any number of passes.

@main
enum Bench {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else { return print("usage: apnscope-bench FILE [PASSES [COPIES]]") }
    let passes = arguments.count > 2 ? Int(arguments[2]) ?? 5 : 5
    let copies = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
    let file = Array(try Data(contentsOf: URL(filePath: arguments[1])))
    let bytes = Array(repeating: file, count: copies).flatMap { $0 }

    report("framing", bytes, passes) { catalog, frame, bytes in frame.count }
    report("framing and field walk", bytes, passes) { catalog, frame, bytes in
      var sum = 0
      catalog.forEachField(of: frame, in: bytes) { sum &+= $0.end ^ Int($0.field) }
      return sum
    }
    PayloadBench(bytes, passes: passes).run()
  }

  /// The best of all passes: what the code costs when nothing disturbs it.
  private static func report(
    _ name: String, _ bytes: [UInt8], _ passes: Int, _ work: (Catalog, FrameRef, Span<UInt8>) -> Int
  ) {
    let catalog = Catalog.standard
    let clock = ContinuousClock()
    var best = Duration.seconds(1_000_000)
    var frames = 0
    var sum = 0
    for _ in 0..<passes {
      frames = 0
      let span = bytes.span
      let time = clock.measure {
        var position = 0
        while position < span.count {
          let frame = catalog.frame(at: position, in: span, of: .provider)
          sum &+= work(catalog, frame, span)
          position = frame.end
          frames += 1
        }
      }
      best = min(best, time)
    }
    let seconds = Double(best.components.attoseconds) / 1e18 + Double(best.components.seconds)
    let nanoseconds = seconds * 1e9 / Double(max(frames, 1))
    let rate = Double(bytes.count) / seconds / 1e9
    print(
      "\(name): \(frames) frames, \(String(format: "%.1f", nanoseconds)) ns a frame, "
        + "\(String(format: "%.2f", rate)) GB/s (checksum \(sum & 0xffff))")
  }
}
