import APNSPayload
import APNSWire

/// The checks that every frame type gets for nothing: its structure by the schema, and its JSON by RFC 8259.
enum StructureFindings {
  /// `ending`: why the bytes end behind the frame, should it be cut there. Only where the stream is over is that the
  /// sender's fault.
  static func of(
    _ frame: FrameRef, in bytes: Span<UInt8>, at offset: Int, ending: RunEnding, catalog: Catalog
  ) -> [Finding] {
    var findings: [Finding] = []
    var unlisted = 0
    catalog.forEachDefect(of: frame, in: bytes) { defect in
      guard findings.count < most else {
        unlisted += 1
        return
      }
      findings.append(finding(defect, first: bytes[frame.start], at: offset - frame.start, ending: ending))
    }
    catalog.forEachField(of: frame, in: bytes) { leaf in
      guard leaf.kind == .value, leaf.state == .whole, findings.count < most, let field = catalog.field(of: leaf),
        case .json = field.content,
        let error = JSONScanner.firstError(in: bytes, range: leaf.range)
      else { return }
      let place = min(error.offset, leaf.end - 1)
      let at = max(place, leaf.start) + offset - frame.start
      findings.append(
        Finding(
          notJSON, .error, at..<(at + (leaf.count == 0 ? 0 : 1)),
          "the \(field.name.title) is not JSON at its byte \(error.offset - leaf.start): \(error.code.rawValue)",
          fix: "write it with a JSON encoder, and count its bytes after encoding"))
    }
    // By place, and at one place in the order of the checks: the first one is the one to look at.
    if findings.count > 1 {
      findings = findings.enumerated()
        .sorted { ($0.1.range.lowerBound, $0.0) < ($1.1.range.lowerBound, $1.0) }.map(\.1)
    }
    if unlisted > 0 {
      let end = offset + frame.count
      findings.append(
        Finding(
          "more-faults", .error, end..<end,
          "\(plural(unlisted, "more fault")) in this frame \(unlisted == 1 ? "is" : "are") not listed",
          fix: "mend the first ones; the others often follow from them"))
    }
    return findings
  }

  /// The one rule here that says nothing of the frame's structure.
  static let notJSON = "payload-not-json"

  /// A frame of noise has a fault in every third byte; so many of them say enough.
  private static let most = 100

  private static func finding(
    _ defect: DecodeError, first: UInt8, at base: Int, ending: RunEnding
  ) -> Finding {
    let range = (defect.range.lowerBound + base)..<(defect.range.upperBound + base)
    let words = words(for: defect, first: first, ending: ending)
    let severity: Finding.Severity = defect.code == .truncated && ending != .over ? .warning : .error
    return Finding(defect.code.rawValue, severity, range, words.message, fix: words.fix)
  }

  private static func remedy(for ending: RunEnding) -> String {
    switch ending {
    case .over: "give the whole stream; where it did end here, a length is too large or the sender stopped early"
    case .gap: "the capture lacks what follows; capture again for the whole frame"
    case .brokenOff: "correct the input first: what follows could not be read"
    }
  }

  private static func words(
    for defect: DecodeError, first: UInt8, ending: RunEnding
  ) -> (message: String, fix: String) {
    let field = defect.field?.title ?? "header"
    let item = defect.item.map { "item \($0.rawValue)" } ?? "the item"
    let holder = defect.limitedBy == .itemLength ? "item around it" : "frame"
    switch defect.code {
    case .truncated:
      let more = defect.needed - defect.available
      return (
        defect.limitedBy == .frameLength
          ? "the \(field) claims \(plural(more, "byte")) more than there \(more == 1 ? "is" : "are")"
          : "the bytes end at the \(field): at least \(more) more \(more == 1 ? "belongs" : "belong") to this frame",
        remedy(for: ending)
      )
    case .oversizedFrame:
      return (
        "the frame claims \(defect.needed) bytes, more than any notification has",
        "mend the frame length: four bytes, big-endian, counting only the items behind it"
      )
    case .unknownCommand:
      return (
        "no frame starts with \(hex(first))",
        "look at what stands before: a wrong length shifts everything behind it; "
          + "if another side wrote this stream, say so with --role"
      )
    case .unknownItem:
      return (
        "\(item) is documented nowhere",
        "leave it out, or mend the length of the item before it"
      )
    case .itemOverrun:
      return (
        "\(item) claims \(plural(defect.needed, "byte")), but the \(holder) has \(defect.available) left",
        "write the data's real length, and count the whole item in the length around it"
      )
    case .wrongItemSize:
      return (
        "the \(field) has \(plural(defect.available, "byte")) instead of \(defect.needed)",
        "write exactly \(plural(defect.needed, "byte")), and that length before them"
      )
    case .spareBytes:
      return (
        "\(plural(defect.available, "byte")) left over: an item takes at least \(defect.needed)",
        "count only the items in the length, or complete the last one"
      )
    default:
      return (defect.code.rawValue, "compare the bytes with the format")
    }
  }
}
