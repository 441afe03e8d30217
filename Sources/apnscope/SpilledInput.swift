/// What came through a pipe, written to a temporary file, so that it can be read more than once. It goes with the last
/// who holds it.
final class SpilledInput {
  let path: String
  let name: String

  /// `-` is standard input.
  init(_ source: String, quiet: Bool) throws(Failure) {
    name = source == "-" ? "standard input" : source
    guard let input = source == "-" ? Descriptor.standardInput : Descriptor(reading: source) else {
      throw .unreadable("\(source): \(systemError())")
    }
    guard let (path, number) = temporaryFile() else {
      throw .unreadable("no temporary file for \(name): \(systemError()); name another folder in TMPDIR")
    }
    self.path = path
    let output = Descriptor(number: number, isOwned: true)
    if source == "-", !quiet { Talk.sayWaiting() }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while !Interrupt.isRaised {
      guard let count = input.read(into: &buffer) else { throw .unreadable("\(name): \(systemError())") }
      guard count > 0 else { return }
      guard case .done = writeAll(buffer.span.extracting(0..<count), to: output.number) else {
        throw .unreadable("\(path), a copy of \(name): \(systemError()); make room, or name another folder in TMPDIR")
      }
    }
  }

  deinit { remove(file: path) }
}
