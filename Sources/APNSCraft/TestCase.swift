import APNSDiagnosis
import APNSWire
import Octets

/// A stream for testing a decoder, with the expected result.
public struct TestCase: Sendable, Hashable {
  /// The number of the case in its run, counted from 0.
  public let number: Int
  /// The role with which to decode the stream.
  public let role: StreamRole
  /// The complete stream.
  public let bytes: [UInt8]
  /// The change, and what a decoder and the gateway should make of it.
  public let label: Label

  /// A file name such as `000012-truncated-at-token.bin`. File names sort in the order of the cases.
  package var fileName: String { UTC.digits(number, atLeast: 6) + "-" + label.mutator + ".bin" }

  /// The change and its expected consequences.
  public struct Label: Sendable, Hashable {
    /// The name of the mutator: stable, in kebab-case.
    package let mutator: String
    /// A sentence that names the field and both values.
    public let change: String
    /// The changed range of ``TestCase/bytes``; empty if nothing was changed.
    public let range: Range<Int>
    /// The rule that is broken; nil in a valid case.
    public let rule: String?
    /// Other rules that are broken as a consequence.
    package let follows: [String]
    /// The sender's bug that writes these bytes; nil if there is none.
    public let cause: String?
    /// What a decoder should do with the stream.
    public let verdict: Verdict
    /// The gateway's reply in the edition of the run; nil if it accepts the stream or no document says.
    public let answer: GatewayReply?
  }

  /// What a decoder should do with a case.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// The stream is valid.
    case accept
    /// The stream breaks a requirement of the service.
    case reject
    /// The case breaks a recommendation, but no requirement of the service, so decoders may differ.
    case either
  }
}
