import APNSDiagnosis
import APNSViews

/// Shows the records that were asked for, and keeps count of what was seen.
struct ViewSink<V: View>: RecordSink, ~Copyable {
  private var view: V
  private var file: OutputFile
  private let stream: Int?
  private let limit: Int?
  private let refusesMixture: Bool
  private var shown = 0
  private var firstStream: Int?
  private var input = ""
  /// Written before the input's first record.
  private var heading: String?
  /// What is left for the last line.
  private(set) var triage = Triage()
  /// Bytes of a second stream turned up where only one can be written.
  private(set) var mixture: Failure?

  init(_ view: V, output: String?, stream: Int?, limit: Int?, refusesMixture: Bool) throws(Failure) {
    self.view = view
    self.file = try OutputFile(output)
    self.stream = stream
    self.limit = limit
    self.refusesMixture = refusesMixture
  }

  var wantsMore: Bool {
    !file.isClosed && mixture == nil && limit.map { shown < $0 } ?? true
  }

  var wantsInput: Bool { wantsMore && !Interrupt.isRaised }

  mutating func pause() { file.flush() }

  /// What follows comes from `input`; where it is one of many, it gets a heading, as from `head` and `tail`.
  mutating func begin(_ input: String, isOneOfMany: Bool) {
    self.input = input
    heading = isOneOfMany ? "==> \(printable(input)) <==\n" : nil
  }

  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {
    triage.note(input: name, isEmpty: isEmpty, remark: remark)
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if record.stream.route != nil { triage.see(stream: record.stream.number) }
    guard stream == nil || stream == record.stream.number, wantsMore else { return }
    if refusesMixture, record.stream.route != nil {
      if let firstStream, firstStream != record.stream.number {
        mixture = .unreadable(
          "\(input) holds more than one stream, and their bytes cannot be written as one; choose one with --stream "
            + "\(firstStream) or --stream \(record.stream.number)")
        return
      }
      firstStream = record.stream.number
    }
    if let heading {
      let lead = shown == 0 ? "" : "\n"
      file.append { $0.write(lead + heading) }
      self.heading = nil
    }
    shown += 1
    triage.count(record, of: input)
    file.append { view.show(record, bytes, to: &$0) }
  }

  /// Whoever reads has closed the pipe.
  var isClosed: Bool { file.isClosed }

  /// Not `complete`: the run failed, and what was written must not pass for its result.
  mutating func close(complete: Bool) throws(Failure) {
    file.append { view.finish(to: &$0) }
    try file.close(complete: complete)
  }
}
