import APNSCraft
import APNSDiagnosis
import APNSViews

extension TestCase {
  /// Writes the case as a line of NDJSON, schema 1: the label, and the bytes as `hex`. If `file` is given, that name
  /// replaces the bytes.
  func write(to out: inout Output, file: String? = nil) {
    out.line { out in
      out.member("schema", NDJSONView.schema)
      out.member("number", number)
      out.member("mutator", label.mutator)
      out.member("change", label.change)
      out.member("offset", label.range.lowerBound)
      out.member("length", label.range.count)
      out.member("rule", label.rule)
      if !label.follows.isEmpty { out.member("follows", label.follows) }
      out.member("cause", label.cause)
      out.member("verdict", label.verdict.rawValue)
      out.answerMember(label.answer)
      out.member("role", role.name)
      if let file { out.member("file", file) } else { out.member("hex", hex: bytes.span) }
    }
  }
}
