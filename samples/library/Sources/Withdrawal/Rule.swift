import APNSDiagnosis
import APNSWire

public let emptyComment = Rule(
  "empty-comment", .warning, "withdrawal without a comment",
  why: "The audit log of the gateway shows nothing.", source: "our gateway's manual, chapter 4",
  fix: "write why the notification is withdrawn")

/// The frame types and rules that Apple documented, and ours.
public let definitions: Definitions = {
  var definitions = Definitions(catalog)
  definitions.families.append(
    RuleFamily([emptyComment]) { facts, bytes, report in
      guard facts.schema?.name == Withdrawal.schema.name else { return }
      catalog.forEachField(of: facts.frame, in: bytes) { leaf in
        let name = catalog.field(of: leaf)?.name.member
        guard leaf.kind == .value, leaf.count == 0, name == "comment" else { return }
        report.add(emptyComment, at: leaf.range, "the comment is empty")
      }
    })
  return definitions
}()
