import ArgumentParser

struct InputOptions: ParsableArguments {
  @Argument(help: "Files or folders to read; - is standard input, the default.", completion: .file())
  var files: [InputPath] = []

  @Option(reads: "-r <file>", "Read FILE, as in tcpdump.", rare: true)
  var readFile: [InputPath] = []

  @Option("--hex <text>", "Read bytes from the command line, as hex text.")
  var hex: [String] = []

  @Option("--from <format>", "Format of the input; hex is any hex text.")
  var from: InputFormat = .auto

  @Option("-f <bpf>", "Read only packets that match a BPF expression.")
  var filter: String?

  func validate() throws {
    if !hex.isEmpty, from == .raw || from == .pcap {
      throw ValidationError("The option --hex accepts only hex text; drop --from \(from.rawValue).")
    }
    if !hex.isEmpty, !paths.isEmpty { throw ValidationError("The option --hex and files exclude each other.") }
  }

  var paths: [InputPath] { readFile + files }

  /// The options that read the same input again in the same way, without the files.
  var flags: [String] {
    (from == .auto ? [] : ["--from", from.rawValue]) + (filter.map { ["-f", $0] } ?? [])
  }

  /// The sources in a form that can be read more than once: pipes are copied to temporary files.
  func rereadable(quiet: Bool) throws(Failure) -> [InputSource] {
    try sources().map { source throws(Failure) in try source.rereadable(quiet: quiet) }
  }
}

extension InputOptions {
  /// The options of a command whose arguments are others.
  init(_ files: [InputPath], from: InputFormat = .auto, filter: String? = nil) {
    (self.files, readFile, hex, self.from, self.filter) = (files, [], [], from, filter)
  }
}
