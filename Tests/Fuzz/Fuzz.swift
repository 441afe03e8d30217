import Foundation
import TestSupport

// One law as a libFuzzer target, chosen by the LAW environment variable; built without a fuzzer it replays files.

private let law = Law(rawValue: ProcessInfo.processInfo.environment["LAW"] ?? "") ?? .lossless

private func check(_ bytes: [UInt8]) {
  if let violation = law.violation(bytes) { fatalError("\(law): \(violation)") }
}

#if FUZZING
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    check(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  }
#else
  @main
  enum Replay {
    static func main() throws {
      for path in CommandLine.arguments.dropFirst() { check(Array(try Data(contentsOf: URL(filePath: path)))) }
    }
  }
#endif
