import APNSDiagnosis
import APNSInput
import APNSViews
import ArgumentParser

/// What is read: files, directories, standard input, or bytes on the command line.
struct Inputs: ParsableArguments {
  @Argument(
    help: "Files or directories to read; - is standard input (the default).",
    completion: .file())
  var files: [String] = []

  @Option(
    name: .customShort("r"), help: ArgumentHelp("Read FILE, as in tcpdump.", valueName: "file"), completion: .file())
  var readFile: [String] = []

  @Option(help: ArgumentHelp("Read bytes from the command line, as hex text in any known form.", valueName: "text"))
  var hex: [String] = []

  @Option(help: ArgumentHelp("Format of the input; hex is any form of hex text.", valueName: "format"))
  var from: InputFormat = .auto

  @Option(
    name: .customShort("f"), help: ArgumentHelp("Read only packets that match a BPF expression.", valueName: "bpf"))
  var filter: String?

  @Flag(help: "Refuse hex text that is not exactly in its format: no comments, prefixes or collapsed spaces.")
  var strict = false

  @Flag(
    help: ArgumentHelp(
      "Keep reading at the end of the file as it grows, until Ctrl-C. Each line of a hex dump is shown when the next "
        + "one arrives."))
  var follow = false

  func validate() throws {
    if !hex.isEmpty, from == .raw || from == .pcap {
      throw ValidationError("The option --hex takes hex text; drop --from \(from.rawValue).")
    }
    if !hex.isEmpty, !paths.isEmpty { throw ValidationError("The option --hex and files exclude each other.") }
    if follow, paths.count != 1 || paths == ["-"] {
      throw ValidationError("The flag --follow needs one file; standard input is always read as it grows.")
    }
  }

  /// The words that read the same input in the same way again, without the files.
  var flags: [String] {
    (from == .auto ? [] : ["--from", from.rawValue]) + (filter.map { ["-f", $0] } ?? [])
  }

  private var paths: [String] { readFile + files }
}

/// Takes the records of inputs, and what an input could not give.
protocol InputSink: RecordSink, ~Copyable {
  /// Everything that is lost shows in the records.
  var showsLosses: Bool { get }
  mutating func note(_ name: String, isEmpty: Bool, remark: String?)
  /// What the packets of a capture were.
  mutating func note(_ tally: Reassembler.Tally)
}

extension InputSink where Self: ~Copyable {
  mutating func note(_ tally: Reassembler.Tally) {}
}

extension Inputs {
  enum Source {
    case text(String)
    case file(String)
    /// What came through a pipe, in a file.
    case copy(SpilledInput)
    /// Part of a folder that cannot be read, and why.
    case unreadable(String, String)

    var name: String {
      switch self {
      case .text: "--hex"
      case .file(let path): path
      case .copy(let input): input.name
      case .unreadable(let path, _): path
      }
    }

    /// It cannot be read again by name.
    var isGone: Bool {
      if case .file = self { false } else { true }
    }
  }

  /// Paths of the files among sources, `-` for standard input: what must not be overwritten.
  static func paths(of sources: [Source]) -> [String] {
    sources.compactMap { source in
      switch source {
      case .text, .unreadable: nil
      case .file(let path): path
      case .copy(let input): input.source
      }
    }
  }

  /// The same sources, so that each of them can be read more than once: a pipe is written to a file first.
  func rereadable(quiet: Bool) throws(Failure) -> [Source] {
    var sources: [Source] = []
    for source in try self.sources() {
      if case .file(let path) = source, path == "-" || !FileKind(path).isRegular {
        sources.append(.copy(try SpilledInput(path, quiet: quiet)))
      } else {
        sources.append(source)
      }
    }
    return sources
  }

  /// What there is to read, in the order of reading: a folder means all files in it, and captures that are named in a
  /// row are put in the order of their first packets.
  func sources() throws(Failure) -> [Source] {
    if !hex.isEmpty { return hex.map { .text($0) } }
    if paths.isEmpty { return [.file("-")] }
    var files: [(source: Source, time: CaptureTime?)] = []
    for path in paths {
      if path != "-", isFolder(path) {
        files += try self.files(inFolder: path)
      } else {
        files.append((.file(path), paths.count > 1 ? time(of: path) : nil))
      }
    }
    return inOrder(files)
  }

  /// Every file in a folder and its subfolders: captures first, so that they are one timeline, then the others by name.
  /// What cannot be read is listed too, and fails when its turn comes.
  private func files(inFolder path: String) throws(Failure) -> [(source: Source, time: CaptureTime?)] {
    var captures: [(source: Source, time: CaptureTime?)] = []
    var others: [(source: Source, time: CaptureTime?)] = []
    var folders = [path]
    var visited: Set<String> = []
    while let folder = folders.popLast() {
      // Links may lead back.
      guard visited.insert(resolvedPath(folder) ?? folder).inserted else { continue }
      guard let names = namesInFolder(folder) else {
        if folder == path { throw .unreadable("\(path): \(systemError())") }
        others.append((.unreadable(folder, systemError()), nil))
        continue
      }
      let paths = names.map { folder + (folder.hasSuffix("/") ? "" : "/") + $0 }
      folders += paths.filter(isFolder).reversed()
      for file in paths where !isFolder(file) {
        guard FileKind(file).isRegular else {
          others.append(
            (.unreadable(file, "a pipe, a device or a dangling link; in a folder, only regular files are read"), nil))
          continue
        }
        if var input = try? InputFile(file, as: from), (try? input.isCapture()) == true {
          captures.append((.file(file), input.firstPacketTime()))
        } else {
          others.append((.file(file), nil))
        }
      }
    }
    guard !captures.isEmpty || !others.isEmpty else { throw .unreadable("\(path): this folder has no files") }
    // A capture without packets has no time.
    return captures.filter { $0.time != nil } + captures.filter { $0.time == nil } + others
  }

  /// Of a capture that can be read twice.
  private func time(of path: String) -> CaptureTime? {
    guard path != "-", case .regular = FileKind(path), var input = try? InputFile(path, as: from) else { return nil }
    return input.firstPacketTime()
  }

  /// Runs of captures are sorted; whatever has no time keeps its place.
  private func inOrder(_ files: [(source: Source, time: CaptureTime?)]) -> [Source] {
    var ordered: [Source] = []
    var run: [(source: Source, time: CaptureTime)] = []
    func end() {
      let sorted = run.enumerated().sorted { one, other in
        (one.element.time, one.offset) < (other.element.time, other.offset)
      }
      ordered += sorted.map(\.element.source)
      run = []
    }
    for (source, time) in files {
      if let time {
        run.append((source, time))
      } else {
        end()
        ordered.append(source)
      }
    }
    end()
    return ordered
  }

  /// Reads all of the sources, in order. What one of them cannot give is a failure, and the others are read all the
  /// same.
  func read(
    _ sources: [Source], into dissector: inout Dissector<some InputSink & ~Copyable>, quiet: Bool,
    verbose: Bool = false,
    progress: Progress?
  ) -> [Failure] {
    var failures: [Failure] = []
    var timeline = Timeline()
    for (index, source) in sources.enumerated() {
      guard dissector.wantsMore else {
        if Interrupt.isRaised, failures.isEmpty { failures.append(.interrupted(source.name)) }
        break
      }
      do throws(Failure) {
        switch source {
        case .text(let text):
          dissector.begin(input: index)
          try read(text: text, verbose: verbose, into: &dissector)
        case .file(let path):
          try read(
            file: path, named: nil, number: index, &timeline, into: &dissector, quiet: quiet, verbose: verbose, progress
          )
        case .copy(let input):
          try read(
            file: input.path, named: input.name, number: index, &timeline, into: &dissector, quiet: quiet,
            verbose: verbose, progress)
        case .unreadable(let path, let reason): throw .unreadable("\(path): \(reason)")
        }
      } catch {
        failures.append(error)
        // Nothing else is meant either.
        if error.isMistypedSubcommand { break }
      }
    }
    timeline.end(into: &dissector)
    dissector.finish()
    progress?.clear()
    return failures
  }

  private func read(
    text: String, verbose: Bool, into dissector: inout Dissector<some InputSink & ~Copyable>
  ) throws(Failure) {
    var reader = TextReader(format: from.text, strict: strict)
    let bytes = Array(text.utf8)
    defer { dissector.finish() }
    do throws(ReadError) {
      try reader.read(bytes.span, into: &dissector)
      try reader.finish(into: &dissector)
    } catch {
      throw .unreadable("--hex: \(error)")
    }
    dissector.records.note(
      "--hex", isEmpty: bytes.isEmpty, remark: verbose || reader.isAssumed ? reader.account : nil)
  }

  private func read(
    file path: String, named name: String?, number: Int, _ timeline: inout Timeline,
    into dissector: inout Dissector<some InputSink & ~Copyable>,
    quiet: Bool, verbose: Bool, _ progress: Progress?
  ) throws(Failure) {
    var file = try InputFile(path, named: name, as: from, follows: follow)
    if path == "-", !quiet { Talk.sayWaiting() }
    progress?.watch(file.source)
    let isCapture = try file.isCapture()
    if !isCapture { timeline.end(into: &dissector) }
    dissector.begin(input: number, after: timeline.connections)
    defer {
      if !isCapture { dissector.finish() }
      dissector.records.note(file.name, isEmpty: file.isEmpty, remark: remark(on: file))
    }
    if isCapture {
      try timeline.read(&file, filter: filter, number: number, into: &dissector)
    } else {
      guard filter == nil || file.isEmpty else {
        throw .usage("\(file.name) is not a capture, so -f has no packets to filter; drop -f")
      }
      try file.readBytes(strict: strict, verbose: verbose, into: &dissector)
    }
  }
}

extension Inputs {
  /// Of one of several, with its name.
  private func remark(on file: borrowing InputFile) -> String? {
    guard let remark = file.remark, !remark.isEmpty else { return nil }
    return paths.count > 1 || paths.contains(where: { $0 != "-" && isFolder($0) }) ? "\(file.name): \(remark)" : remark
  }
}

/// Captures that follow each other: connections go on from one to the next.
private struct Timeline: ~Copyable {
  private var reassembler = Reassembler()
  private var isOpen = false

  /// So far.
  var connections: Int { reassembler.tally.connections }

  mutating func read(
    _ file: inout InputFile, filter: String?, number: Int, into dissector: inout Dissector<some InputSink & ~Copyable>
  ) throws(Failure) {
    isOpen = true
    try file.readCapture(filter: filter, input: number, &reassembler, into: &dissector)
  }

  mutating func end(into dissector: inout Dissector<some InputSink & ~Copyable>) {
    guard isOpen else { return }
    reassembler.finish(into: &dissector)
    dissector.finish()
    let tally = reassembler.tally
    dissector.records.note(tally)
    dissector.records.note("", isEmpty: false, remark: dissector.records.showsLosses ? tally.unrecorded : "\(tally)")
    reassembler = Reassembler()
    isOpen = false
  }
}
