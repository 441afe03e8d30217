import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire

/// Laws for the readers of apnscope's own formats, and for the findings of arbitrary bytes.
extension Law {
  /// Lines of NDJSON and of a baseline are accepted, or rejected with a printable sentence; accepted frames can be
  /// built.
  static func lines(_ bytes: [UInt8]) -> String? {
    var reader = NDJSONReader(.standard, makesDrafts: true)
    var known = Baseline()
    for (index, line) in bytes.split(separator: 0x0a).enumerated() {
      let line = Array(line)
      do throws(ReadError) {
        if case .frame(let draft)? = try reader.read(line.span, number: index + 1)?.content {
          do throws(EncodeError) { _ = try draft.bytes() } catch {
            if let fault = control(in: "\(error.field) \(error.reason)") { return fault }
          }
        }
      } catch {
        if let fault = control(in: "\(error)") { return fault }
      }
      do throws(ReadError) { try known.add(line, number: index + 1) } catch {
        if let fault = control(in: "\(error)") { return fault }
      }
    }
    return nil
  }

  /// Any `name=value` can be assigned to a draft of each frame type, or is rejected with a reason.
  static func assignment(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let assignment = Assignment(text) else { return nil }
    for schema in Catalog.standard.schemas {
      var draft = FrameDraft(schema)
      do throws(AssignmentError) {
        try assignment.apply(to: &draft, now: 0)
        _ = try? draft.bytes()
      } catch {
        if "\(error)".isEmpty { return "\(text) is refused without a word" }
      }
    }
    _ = try? FieldNames.standard.field(text)
    return nil
  }

  /// Records tile the stream, findings and causes stay within it, and a repaired stream can be read.
  static func causes(_ bytes: [UInt8]) -> String? {
    let shown = Shown(bytes, as: ByteFormat.raw, role: .provider)
    var position = 0
    for record in shown.records {
      guard record.offset == position else { return "a record at \(record.offset), not at \(position)" }
      position += record.count
      for finding in record.findings {
        let range = finding.cause?.range ?? finding.range
        guard range.lowerBound >= 0, range.upperBound <= bytes.count, finding.range.upperBound <= bytes.count else {
          return "\(finding.rule) at \(finding.range), its cause at \(range), of \(bytes.count) bytes"
        }
        if let fault = control(in: finding.message + finding.fix + (finding.cause?.evidence ?? "")) { return fault }
        if let cause = finding.cause, let repaired = cause.repaired {
          let whole = Array(bytes[..<range.lowerBound]) + repaired + Array(bytes[range.upperBound...])
          let shown = Shown(whole, as: ByteFormat.raw, role: .provider).out.bytes
          if shown != whole { return "repaired, it does not tile" }
        }
      }
    }
    return position == bytes.count ? nil : "records end at \(position) of \(bytes.count)"
  }

  static func control(in text: String) -> String? {
    text.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
      ? "a control character in a sentence: \(text.debugDescription)" : nil
  }
}
