import Foundation
import TestSupport

// A libFuzzer target, chosen by the TARGET environment variable; built without a fuzzer it replays files.

private let target: Target = {
  let name = ProcessInfo.processInfo.environment["TARGET"] ?? ""
  guard let target = Target(rawValue: name) else {
    fatalError("TARGET=\(name) is none of \(Target.allCases.map(\.rawValue).joined(separator: " "))")
  }
  return target
}()

private func check(_ bytes: [UInt8]) {
  if let violation = target.violation(bytes) { fatalError("\(target): \(violation)") }
}

#if FUZZING
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    Bounds.check(count) { check(bytes) }
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
