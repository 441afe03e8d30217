import APNSDiagnosis
import APNSInput
import APNSWire

/// `check -T sarif`: SARIF 2.1.0. Results go out as they are found, rules and artifacts behind them, so that memory
/// does not grow with their number.
///
/// In a file of raw bytes a region counts bytes of the file, in a text lines and columns. In a capture it counts bytes
/// of the reassembled stream, which is an artifact of its own, nested in the capture's.
public struct SARIFView: View {
  public static var showsFaultless: Bool { false }

  private let catalog: Catalog
  private let version: String
  private let rules: [Rule]
  private let inputs: [String]
  private let edition: Edition
  private var isFirst = true
  private var ruleIndices: [String: Int]
  /// Found, but not among those that were looked for.
  private var strays: [String] = []
  private var streams: [(number: Int, parent: Int)] = []
  private var streamIndices: [Int: Int] = [:]

  /// A result in a stream beyond those names its capture alone.
  private static let mostStreams = 4096

  /// - Parameters:
  ///   - version: of the command.
  ///   - rules: those that are looked for.
  ///   - inputs: their names, by number.
  public init(_ catalog: Catalog, version: String, rules: [Rule], edition: Edition, inputs: [String]) {
    self.catalog = catalog
    self.version = version
    self.rules = rules
    self.edition = edition
    self.inputs = inputs
    ruleIndices = Dictionary(uniqueKeysWithValues: zip(rules.map(\.id), 0...))
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    for finding in record.findings {
      writeLead(to: &out)
      write(finding, record, bytes, to: &out)
    }
  }

  private mutating func writeLead(to out: inout Output) {
    guard isFirst else { return out.write(",\n") }
    isFirst = false
    out.write("{\"$schema\":\"\(Self.schema)\",\"version\":\"2.1.0\",\"runs\":[{\"results\":[\n")
  }

  public mutating func finish(to out: inout Output) {
    if isFirst { writeLead(to: &out) } else { out.write("\n") }
    out.write("],\n\"tool\":{\"driver\":{\"name\":\"apnscope\",\"version\":")
    out.jsonString(version)
    out.write(",\"informationUri\":\"\(Self.information)\",\"rules\":[\n")
    for (index, id) in (rules.map(\.id) + strays).enumerated() {
      if index > 0 { out.write(",\n") }
      if let rule = Rules[id] { write(rule, to: &out) } else { out.write("{\"id\":\"\(id)\"}") }
    }
    out.write("\n]}},\n\"artifacts\":[\n")
    writeArtifacts(to: &out)
    out.write("\n],\n\"properties\":{\"edition\":\(edition.rawValue)}}]}\n")
  }

  private static let schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
  /// The protocol's own text.
  private static let information =
    "https://developer.apple.com/library/archive/documentation/NetworkingInternet/Conceptual/RemoteNotificationsPG/"
    + "BinaryProviderAPI.html"

  // MARK: Results

  private mutating func write(_ finding: Finding, _ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    out.write("{\"ruleId\":\"\(finding.rule)\",\"ruleIndex\":")
    out.decimal(ruleIndex(finding.rule))
    out.write(",\"level\":\"\(finding.severity.rawValue)\",\"message\":{\"text\":")
    out.jsonString(printable(finding.message))
    out.write("},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{")
    writeLocation(of: finding, record, to: &out)
    out.write("},\"logicalLocations\":[{\"name\":")
    let place = FindingPlace(of: finding, in: record, bytes, catalog)
    let stream = place.stream.map { "stream \($0) " } ?? ""
    out.jsonString("\(record.typeName(catalog)) #\(record.number)")
    out.write(",\"fullyQualifiedName\":")
    out.jsonString("\(stream)\(record.typeName(catalog)) #\(record.number)")
    out.write("}]}],\"partialFingerprints\":{\"apnscopeFrame/v1\":\"")
    out.write(Fingerprint(finding, in: record, bytes, catalog).description)
    out.write("\"},\"properties\":{\"fix\":")
    out.jsonString(printable(finding.fix))
    out.answerMember(finding.answer)
    out.write(",\"offset\":")
    out.decimal(finding.range.lowerBound)
    out.write(",\"length\":")
    out.decimal(finding.range.count)
    if let identifier = place.identifier {
      out.write(",\"identifier\":")
      out.decimal(identifier)
    }
    // Their files come from the artifact, and their times from the capture.
    out.originMembers(of: record, [], inFile: true)
    out.write("}}")
  }

  private mutating func writeLocation(of finding: Finding, _ record: Record, to out: inout Output) {
    let isStream = record.stream.route != nil || !record.packets.isEmpty
    if isStream, let index = streamIndex(of: record) {
      out.write("\"uri\":\"\(Self.name(ofStream: record.stream.numberInFile))\",\"index\":")
      out.decimal(index)
      out.write("}")
      writeRegion(of: finding, to: &out)
      return
    }
    if inputs.indices.contains(record.input), let file = fileName(inputs[record.input]) {
      out.write("\"uri\":")
      out.jsonString(Self.uri(ofFile: file))
      out.write(",")
    }
    out.write("\"index\":")
    out.decimal(record.input)
    out.write("}")
    if let position = record.position(of: finding) {
      out.write(",\"region\":{\"startLine\":\(position.line),\"startColumn\":\(position.column)}")
    } else if !isStream {
      writeRegion(of: finding, to: &out)
    }
  }

  private func writeRegion(of finding: Finding, to out: inout Output) {
    out.write(",\"region\":{\"byteOffset\":")
    out.decimal(finding.range.lowerBound)
    out.write(",\"byteLength\":")
    out.decimal(finding.range.count)
    out.write("}")
  }

  private mutating func ruleIndex(_ rule: String) -> Int {
    if let index = ruleIndices[rule] { return index }
    let index = rules.count + strays.count
    ruleIndices[rule] = index
    strays.append(rule)
    return index
  }

  private mutating func streamIndex(of record: Record) -> Int? {
    if let index = streamIndices[record.stream.number] { return index }
    guard streams.count < Self.mostStreams else { return nil }
    let index = inputs.count + streams.count
    streams.append((record.stream.numberInFile, record.input))
    streamIndices[record.stream.number] = index
    return index
  }

  // MARK: Rules and artifacts

  private func write(_ rule: Rule, to out: inout Output) {
    out.write("{\"id\":\"\(rule.id)\",\"shortDescription\":{\"text\":")
    out.jsonString(rule.title)
    out.write("},\"fullDescription\":{\"text\":")
    out.jsonString(rule.why)
    out.write("},\"help\":{\"text\":")
    out.jsonString("Fix: \(rule.fix). Source: \(rule.source).")
    out.write("},\"defaultConfiguration\":{\"level\":\"\(rule.severity.rawValue)\"}}")
  }

  private func writeArtifacts(to out: inout Output) {
    for (index, input) in inputs.enumerated() {
      if index > 0 { out.write(",\n") }
      if let file = fileName(input) {
        out.write("{\"location\":{\"uri\":")
        out.jsonString(Self.uri(ofFile: file))
        out.write("}}")
      } else {
        out.write("{\"description\":{\"text\":\"\(input == "-" ? "standard input" : "bytes on the command line")\"}}")
      }
    }
    for (index, stream) in streams.enumerated() {
      if index > 0 || !inputs.isEmpty { out.write(",\n") }
      out.write("{\"location\":{\"uri\":\"\(Self.name(ofStream: stream.number))\"},\"parentIndex\":")
      out.decimal(stream.parent)
      out.write("}")
    }
  }

  /// Within its capture.
  private static func name(ofStream number: Int) -> String { "stream-\(number).bin" }

  /// Whatever a name holds, it is a path: nothing in it is a scheme, a query or an escape.
  private static func uri(ofFile path: String) -> String {
    var uri = path.hasPrefix("/") ? "file://" : ""
    // What begins with two slashes would name a host.
    var path = path[...]
    while path.hasPrefix("//") { path = path.dropFirst() }
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        var digits = Output()
        digits.hex(byte)
        uri += "%" + String(decoding: digits.bytes, as: UTF8.self).uppercased()
      }
    }
    return uri
  }
}
