import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

/// Writes the report of `check -T sarif`: SARIF 2.1.0. Results are written as they are found, rules and artifacts at
/// the end, so memory does not grow with the number of results.
///
/// The region of a result counts bytes in a raw file, and lines and UTF-16 code units in text. A result in a capture
/// has no region: its bytes are spread over packets. Its properties have the stream, the offset in it, and the packets.
public struct SARIFView: View {
  public static var recordsOfEachRule: Int? { .max }

  private let catalog: Catalog
  private let version: String
  private let inputs: [String]
  private let edition: Edition
  private var isFirst = true
  /// The rules that are checked, then others with findings.
  private var rules: [String]

  /// A report of this version of apnscope about the rules that it checks, against an edition of Apple's guide.
  public init(_ catalog: Catalog, version: String, rules: [Rule], edition: Edition, inputs: [String]) {
    (self.catalog, self.version, self.edition, self.inputs) = (catalog, version, edition, inputs)
    self.rules = rules.map(\.id)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    for finding in record.findings {
      writeLead(to: &out)
      out.object(onLine: true) { write(finding, record, bytes, to: &$0) }
    }
  }

  private mutating func writeLead(to out: inout Output) {
    guard isFirst else { return }
    isFirst = false
    out.write("{")
    out.member("$schema", Self.schema)
    out.member("version", "2.1.0")
    out.write(",\"runs\":[{\"results\":[")
  }

  public mutating func finish(to out: inout Output) {
    writeLead(to: &out)
    out.write("\n],\n\"tool\":{\"driver\":{")
    out.member("name", "apnscope")
    out.member("version", version)
    out.member("informationUri", Self.information)
    out.array("rules") { out in
      for id in rules {
        out.object(onLine: true) { out in
          if let rule = Rules[id] { write(rule, to: &out) } else { out.member("id", id) }
        }
      }
      out.write("\n")
    }
    out.write("}},\n\"artifacts\":[")
    writeArtifacts(to: &out)
    out.write("\n]")
    // The default; bytes and characters are no choice.
    out.member("columnKind", "utf16CodeUnits")
    out.object("properties") { $0.member("edition", edition.rawValue) }
    out.write("}]}\n")
  }

  private static let schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
  /// Apple's description of the protocol.
  private static let information =
    "https://developer.apple.com/library/archive/documentation/NetworkingInternet/Conceptual/RemoteNotificationsPG/"
    + "BinaryProviderAPI.html"

  // MARK: Results

  private mutating func write(_ finding: Finding, _ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    out.member("ruleId", finding.rule)
    out.member("ruleIndex", ruleIndex(finding.rule))
    out.member("level", finding.severity.rawValue)
    out.object("message") { $0.member("text", printable(finding.line)) }
    out.array("locations") { out in
      out.object { out in
        out.object("physicalLocation") { writeLocation(of: finding, record, to: &$0) }
        out.array("logicalLocations") { out in
          out.object { out in
            let stream = record.stream.isDirected ? "stream \(record.stream.numberInFile) " : ""
            let name = "\(record.content.typeName(catalog)) #\(record.number)"
            out.member("name", name)
            out.member("fullyQualifiedName", stream + name)
          }
        }
      }
    }
    let fingerprint = record.fingerprint(of: finding, bytes, catalog)
    out.object("partialFingerprints") { $0.member("apnscopeFrame/v1", fingerprint) }
    out.object("properties") { out in
      out.member("fix", printable(finding.fix))
      out.answerMember(finding.answer)
      if let cause = finding.cause { out.causeMember(cause, printable) }
      out.member("offset", finding.range.lowerBound)
      out.member("length", finding.range.count)
      out.member("identifier", record.number(.identifier, in: bytes, catalog))
      // The artifact names the file.
      out.originMembers(of: record, [], inFile: true)
    }
  }

  private func writeLocation(of finding: Finding, _ record: Record, to out: inout Output) {
    out.object("artifactLocation") { out in
      if inputs.indices.contains(record.input) {
        out.member("uri", fileName(inputs[record.input]).map(Self.uri))
        out.member("index", record.input)
      }
    }
    if let position = record.position(of: finding) {
      out.object("region") { out in
        out.member("startLine", Int(position.line))
        out.member("startColumn", Int(position.column))
      }
    } else if record.stream.route == nil, record.packets.isEmpty {
      out.object("region") { out in
        out.member("byteOffset", finding.range.lowerBound)
        out.member("byteLength", finding.range.count)
      }
    }
  }

  private mutating func ruleIndex(_ rule: String) -> Int {
    if let index = rules.firstIndex(of: rule) { return index }
    rules.append(rule)
    return rules.count - 1
  }

  // MARK: Rules and artifacts

  private func write(_ rule: Rule, to out: inout Output) {
    out.member("id", rule.id)
    out.object("shortDescription") { $0.member("text", rule.title) }
    out.object("fullDescription") { $0.member("text", rule.why) }
    out.object("help") { $0.member("text", "Fix: \(rule.fix). Source: \(rule.source).") }
    out.object("defaultConfiguration") { $0.member("level", rule.severity.rawValue) }
  }

  private func writeArtifacts(to out: inout Output) {
    for input in inputs {
      out.object(onLine: true) { out in
        if let file = fileName(input) {
          out.object("location") { $0.member("uri", Self.uri(ofFile: file)) }
        } else {
          let text = input == "-" ? "standard input" : "bytes on the command line"
          out.object("description") { $0.member("text", text) }
        }
      }
    }
  }

  /// Escapes a path so that no part of it is read as a scheme, a query or an escape.
  private static func uri(ofFile path: String) -> String {
    // After two slashes, a URI has a host.
    let slashes = path.prefix { $0 == "/" }.count
    let single = String(path.dropFirst(max(slashes - 1, 0)))
    return (slashes > 0 ? "file://" : "") + single.percentEncoded { !$0.isAlphanumeric(or: "/.-_~") }
  }
}

extension RulePolicy {
  /// The rules that are checked and have at least this severity.
  package func rules(from least: Finding.Severity) -> [Rule] {
    Rules.all.filter { rule in severity(of: rule, rule.severity).map { $0 >= least } ?? false }
  }
}
