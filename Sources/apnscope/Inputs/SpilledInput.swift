/// The contents of a pipe, copied to a temporary file so that it can be read more than once. The file is removed with
/// the last reference.
final class SpilledInput {
  let name: String
  let isStandardInput: Bool
  private let copy: TemporaryFile

  var path: String { copy.path }

  /// Copies the source; `-` is standard input.
  init(_ source: String, quiet: Bool) throws(Failure) {
    isStandardInput = source == "-"
    name = isStandardInput ? "standard input" : source
    guard let input = isStandardInput ? Descriptor.standardInput : Descriptor(reading: source) else {
      throw .cannotOpen(source)
    }
    if isStandardInput, !quiet { StandardError.sayWaiting() }
    copy = try TemporaryFile.make(for: name)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = try input.read(into: &buffer, of: name)
      guard count > 0 else { return }
      guard case .done = writeAll(buffer.span.extracting(0..<count), to: copy.number) else {
        throw .unreadable(
          "\(path), a copy of \(name): \(systemError()); free some space, or set TMPDIR to another folder")
      }
    }
  }
}
