import APNSDiagnosis
import ArgumentParser

struct Dissect: StreamRunnable {
  static let configuration = CommandConfiguration(
    "dissect", "Show frames field by field: from hex text, raw files, captures or standard input.",
    usage: """
      apnscope [dissect] [<options>] [<file> ...]
      apnscope --hex '0808 0000 04d2'
      printf '<08080000 04d2>' | apnscope -T line
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope -T ndjson --stream 1 -f 'tcp port 2195' -
      apnscope encode --timestamp now --token fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3 -T raw \
      | apnscope --role feedback -T command
      apnscope encode --status 8 --identifier 7 | apnscope -Y 'status != 0 && identifier in 1..9' -e identifier -e \
      status_name
      """,
    discussion: """
      The kind of input is detected from its first bytes: a capture, hex text or raw bytes, each possibly compressed \
      with gzip. Whether the provider, the gateway or the feedback service wrote a stream is detected from its \
      content, then from its ports. Several captures, or a directory of captures, are read in order of time.

      -Y shows only the records that match; the summary at the end and the exit status count only those: \
      -Y 'command == 2 && priority == 10 && payload.aps.badge > 5'. The operators are == != < <= > >= contains and in \
      (a range 1..9 or a set {1, 5, 10..20}). A bare name matches if the field is present. Combine with && || ! and \
      parentheses. If a field has several values, one match is enough; != matches if there is a value and none is \
      equal. apnscope explain --fields lists the names.

      In NDJSON, the fields of command 2 are in its items: jq '(., .items[]?) | .identifier // empty'.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var roles: RoleOptions
  @OptionGroup var rules: RuleOptions
  @OptionGroup var selection: SelectionOptions

  @Option("-c <count>", "Stop after COUNT records.")
  var count: Int?

  @OptionGroup var records: RecordOptions
  @OptionGroup var target: OutputOption

  @Option(
    writes: "--repair <outfile>",
    "Write the stream to FILE as its sender should have written it, and show what changed.")
  var repair: OutputPath?

  @OptionGroup var exit: FailOnOption
  @OptionGroup var threads: ThreadOption
  @OptionGroup var messages: QuietOption

  func validate() throws {
    if repair != nil, count != nil || selection.filter != nil {
      throw ValidationError("The option --repair writes the whole stream; drop -c and -Y.")
    }
    if let count, count < 1 { throw ValidationError("The option -c must be at least 1.") }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let settings = try roles.settings(definitions, rules.policy())
    let sources = try input.sources()
    if let repair { return try write(settings, sources, repairedTo: repair) }
    let pipeline = try RecordPipeline(
      settings, selection.selection(definitions, count: count), records, else: .tree, inputs: sources.map(\.name),
      output: target.output, exit, messages)
    pipeline.jobs = threads.count
    return try pipeline.run(input, sources, verbose: records.verbose)
  }
}
