import APNSDiagnosis
import APNSViews
import Testing
import Withdrawal

@Suite struct WithdrawalTests {
  static let bytes: [UInt8] = [32, 0, 0, 4, 210, 1, 4] + Array("sold".utf8)

  @Test func isEncoded() throws {
    #expect(try withdrawal(of: 1234, scope: 1, comment: "sold") == Self.bytes)
  }

  @Test func isFramed() {
    #expect(frameTypes(in: (Self.bytes + Self.bytes).span) == ["withdrawal", "withdrawal"])
  }

  @Test func hasFields() {
    let found = values(in: Self.bytes.span)
    #expect(found.map(\.name) == ["identifier", "scope", "comment"])
    #expect(found.map(\.range) == [1..<5, 5..<6, 7..<11])
  }

  @Test func isShown() {
    let tree = text(of: Self.bytes, in: TreeView(catalog))
    #expect(tree.contains("one device") && tree.contains("sold"))
  }

  @Test func comesBackFromNDJSON() throws {
    let line = text(of: Self.bytes, in: NDJSONView(catalog))
    #expect(line.contains(#""type":"withdrawal""#) && line.contains(#""scope_name":"one device""#))
    #expect(try frame(ndjson: line) == Self.bytes)
  }

  @Test func isChecked() {
    #expect(findings(in: Self.bytes, role: .provider, by: definitions).isEmpty)
    let empty: [UInt8] = [32, 0, 0, 4, 210, 1, 0]
    #expect(findings(in: empty, role: .provider, by: definitions).map(\.rule) == ["empty-comment"])
    #expect(findings(in: Array(Self.bytes.dropLast()), role: .provider, by: definitions).map(\.rule) == ["truncated"])
  }
}
