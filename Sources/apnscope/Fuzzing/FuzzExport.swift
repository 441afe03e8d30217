import APNSCraft
import APNSDiagnosis
import APNSViews
import APNSWire
import Octets

/// Writes the seeds of coverage-guided fuzzers: `DIR/corpus` with one file per case, and `DIR/apns.dict`.
struct FuzzExport {
  let folder: OutputPath
  let count: Int

  func write(_ source: Mutations, _ catalog: Catalog, quiet: Bool) throws(Failure) {
    let corpus = OutputPath("corpus", in: folder)
    for path in [folder.path, corpus.path] where !makeFolder(path) {
      throw .unreadable("\(path): \(systemError()); choose a writable folder")
    }
    var source = source
    var written = 0
    for _ in 0..<count {
      if Interrupt.isRaised { throw MutateRun.interrupted(after: written, of: count) }
      let made = source.next()
      // Fuzzers are faster with short inputs and drop the longest themselves.
      guard made.bytes.count <= Self.longest else { continue }
      var file = try OutputFile(named: made.fileName, in: corpus)
      file.append { $0.write(made.bytes.span) }
      try file.close()
      written += 1
    }
    let words = FuzzDictionary(catalog)
    var file = try OutputFile(named: "apns.dict", in: folder)
    file.append { $0.write("# Made by apnscope fuzz --export, for libFuzzer and AFL++.\n" + words.text) }
    try file.close()
    guard !quiet else { return }
    let path = shellWord(folder.path)
    StandardError.say(
      "\(plural(written, "case")) in \(corpus.path) and \(plural(words.words.count, "word")) in \(folder.path)/apns.dict; "
        + "libFuzzer: -dict=\(path)/apns.dict \(path)/corpus; AFL++: -x \(path)/apns.dict -i \(path)/corpus")
  }

  private static let longest = 1 << 14
}
