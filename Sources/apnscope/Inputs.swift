import APNSDiagnosis
import APNSInput
import APNSViews
import ArgumentParser

/// What is read: files, directories, standard input, or bytes on the command line.
struct Inputs: ParsableArguments {
  @Argument(
    help: "Files or directories to read; - is standard input, which is also read when none is named.",
    completion: .file())
  var files: [String] = []

  @Option(
    name: .customShort("r"), help: ArgumentHelp("Read FILE, as in tcpdump.", valueName: "file"), completion: .file())
  var readFile: [String] = []

  @Option(help: ArgumentHelp("Bytes on the command line, as hexadecimal text in any known form.", valueName: "text"))
  var hex: [String] = []

  @Option(help: ArgumentHelp("What the input is; hex is any form of text.", valueName: "format"))
  var from: InputFormat = .auto

  @Option(
    name: .customShort("f"), help: ArgumentHelp("Read only packets that match a BPF expression.", valueName: "bpf"))
  var filter: String?

  @Flag(help: "Refuse hex text that is not exactly in its format: no comments, prefixes or collapsed spaces.")
  var strict = false

  func validate() throws {
    if !hex.isEmpty, from == .raw || from == .pcap {
      throw ValidationError("The text of --hex is no \(from.rawValue) input.")
    }
    if !hex.isEmpty, !paths.isEmpty { throw ValidationError("The option --hex and files exclude each other.") }
  }

  /// The words that read the same input in the same way again, without the files.
  var flags: [String] {
    (from == .auto ? [] : ["--from", from.rawValue]) + (filter.map { ["-f", $0] } ?? [])
  }

  private var paths: [String] { readFile + files }
}

extension Inputs {
  enum Source {
    case text(String)
    case file(String)

    var name: String {
      switch self {
      case .text: "--hex"
      case .file(let path): path
      }
    }
  }

  var sources: [Source] {
    if !hex.isEmpty { return hex.map { .text($0) } }
    return paths.isEmpty ? [.file("-")] : paths.map { .file($0) }
  }

  /// Reads all of the sources, in order. What one of them cannot give is a failure, and the others are read all the
  /// same.
  func read<V: View>(
    _ sources: [Source], into dissector: inout Dissector<ViewSink<V>>, quiet: Bool
  ) -> [Failure] {
    var failures: [Failure] = []
    for (index, source) in sources.enumerated() where dissector.wantsMore {
      dissector.begin(input: index)
      do throws(Failure) {
        switch source {
        case .text(let text): try read(text: text, into: &dissector)
        case .file(let path): try read(file: path, into: &dissector, quiet: quiet)
        }
      } catch {
        failures.append(error)
        // Nothing else is meant either.
        if error.isMistypedSubcommand { break }
      }
      dissector.finish()
    }
    return failures
  }

  private func read(text: String, into dissector: inout Dissector<ViewSink<some View>>) throws(Failure) {
    var reader = TextReader(format: from.text, strict: strict)
    let bytes = Array(text.utf8)
    do throws(ReadError) {
      try reader.read(bytes.span, into: &dissector)
      try reader.finish(into: &dissector)
    } catch {
      throw .unreadable("--hex: \(error)")
    }
    dissector.records.note("--hex", isEmpty: bytes.isEmpty, remark: nil)
  }

  private func read(
    file path: String, into dissector: inout Dissector<ViewSink<some View>>, quiet: Bool
  ) throws(Failure) {
    var file = try InputFile(path)
    if path == "-", paths.isEmpty, isTerminal(0), !quiet {
      Talk.say("reading standard input; end with Ctrl-D, or see apnscope --help")
    }
    do throws(Failure) {
      try file.read(as: from, strict: strict, filter: filter, into: &dissector)
    } catch {
      dissector.records.note(file.name, isEmpty: file.isEmpty, remark: file.remark)
      throw error
    }
    dissector.records.note(file.name, isEmpty: file.isEmpty, remark: file.remark)
  }
}
