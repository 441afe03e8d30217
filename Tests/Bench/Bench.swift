import APNSInput
import Foundation

// apnscope-bench make PROFILE FRAMES [CONNECTIONS]   writes a raw stream, or with CONNECTIONS a capture of them
// apnscope-bench micro [FRAMES [PASSES]]             times the parts of the work, one by one

@main
enum Bench {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.compactMap { Int($0) }.filter { $0 > 0 }
    switch arguments.first {
    case "make":
      guard let profile = arguments.dropFirst().first.flatMap(Traffic.Profile.init), let frames = numbers.first else {
        return usage()
      }
      if numbers.count > 1 {
        writeCapture(Traffic(profile), frames, connections: numbers[1])
      } else {
        writeStream(Traffic(profile), frames)
      }
    case "micro":
      Micro(frames: numbers.first ?? 100_000, passes: numbers.dropFirst().first ?? 7).run()
    default:
      usage()
    }
  }

  private static func usage() {
    print("usage: apnscope-bench make clean|advice|damaged|forms FRAMES [CONNECTIONS] | micro [FRAMES [PASSES]]")
    exit(2)
  }

  private static func writeStream(_ traffic: Traffic, _ frames: Int) {
    var traffic = traffic
    var out: [UInt8] = []
    for _ in 0..<frames {
      out += traffic.frame()
      flush(&out)
    }
    flush(&out, above: 0)
  }

  private static func writeCapture(_ traffic: Traffic, _ frames: Int, connections: Int) {
    var traffic = traffic
    var writer = CaptureWriter()
    var buffers = [[UInt8]](repeating: [], count: connections)
    var out: [UInt8] = []
    for frame in 0..<frames {
      // No order that a cache could learn, and the same one each time.
      let number = frame &* 7919 % connections
      buffers[number] += traffic.frame()
      guard buffers[number].count >= CaptureWriter.segmentSize else { continue }
      let segment = buffers[number]
      buffers[number] = []
      writer.segment(segment.span, on: route(number), at: time(frame), into: &out)
      flush(&out)
    }
    for (number, buffer) in buffers.enumerated() where !buffer.isEmpty {
      writer.segment(buffer.span, on: route(number), at: time(frames), into: &out)
      flush(&out)
    }
    writer.finish(into: &out)
    flush(&out, above: 0)
  }

  private static func route(_ number: Int) -> ByteStream.Route {
    ByteStream.Route(
      source: Endpoint(address: .v4(0x0a00_0001 + UInt32(number / 20_000)), port: UInt16(40_000 + number % 20_000)),
      destination: Endpoint(address: .v4(0x11ac_e82d), port: Endpoint.pushPort))
  }

  private static func time(_ frame: Int) -> CaptureTime {
    let microseconds = frame * 10
    return CaptureTime(
      seconds: Int(Traffic.now) + microseconds / 1_000_000, nanoseconds: microseconds % 1_000_000 * 1000, digits: 6)
  }

  private static func flush(_ out: inout [UInt8], above limit: Int = 1 << 20) {
    guard out.count > limit else { return }
    FileHandle.standardOutput.write(Data(out))
    out.removeAll(keepingCapacity: true)
  }
}
