import Foundation
import TestSupport

// One law, or that of filters, as a libFuzzer target, chosen by the LAW environment variable; built without a fuzzer it replays files.

private let name = ProcessInfo.processInfo.environment["LAW"] ?? ""
private let law = Law(rawValue: name) ?? .lossless

private func check(_ bytes: [UInt8]) {
  let violation = name == "filter" ? FilterLaw.violation(bytes) : law.violation(bytes)
  if let violation { fatalError("\(name): \(violation)") }
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
