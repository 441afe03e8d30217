import Foundation
import TestSupport

// A libFuzzer target, chosen by the TARGET environment variable; `list` prints their names. Built without a fuzzer it
// replays files.

private let target: Target = {
  let name = ProcessInfo.processInfo.environment["TARGET"] ?? ""
  guard let target = Target(rawValue: name) else {
    let names = Target.allCases.map(\.rawValue).joined(separator: " ")
    guard name == "list" else { fatalError("TARGET=\(name) is none of \(names)") }
    print(names)
    fflush(nil)
    // Without what libFuzzer does at the end.
    _exit(0)
  }
  return target
}()

private func check(_ bytes: [UInt8]) {
  func judge() {
    if let violation = target.violation(bytes) { fatalError("\(target): \(violation)") }
  }
  // The target for slow inputs makes longer ones of them, and measures those.
  if target == .slow { judge() } else { Bounds.check(bytes.count, judge) }
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
      // Also without files, so that `list` is answered.
      _ = target
      for path in CommandLine.arguments.dropFirst() { check(Array(try Data(contentsOf: URL(filePath: path)))) }
    }
  }
#endif
