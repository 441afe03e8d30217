import ArgumentParser

/// Options that select the input: files, directories, standard input, or bytes on the command line.
struct InputOptions: ParsableArguments {
  @Argument(
    help: "Files or directories to read; - is standard input (the default).",
    completion: .file())
  var files: [InputPath] = []

  @Option(reads: "-r", help: "Read FILE, as in tcpdump.")
  var readFile: [InputPath] = []

  @Option(help: ArgumentHelp("Read bytes from the command line, as hex text in any known form.", valueName: "text"))
  var hex: [String] = []

  @Option(help: ArgumentHelp("Format of the input; hex is any form of hex text.", valueName: "format"))
  var from: InputFormat = .auto

  @Option(
    name: .customShort("f"), help: ArgumentHelp("Read only packets that match a BPF expression.", valueName: "bpf"))
  var filter: String?

  func validate() throws {
    if !hex.isEmpty, from == .raw || from == .pcap {
      throw ValidationError("The option --hex accepts only hex text; drop --from \(from.rawValue).")
    }
    if !hex.isEmpty, !paths.isEmpty { throw ValidationError("The option --hex and files exclude each other.") }
  }

  var request: InputRequest { InputRequest(paths, hex: hex, format: from, filter: filter) }

  private var paths: [InputPath] { readFile + files }
}
