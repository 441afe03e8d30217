import APNSDiagnosis
import XCTest

final class ProviderXCTests: XCTestCase {
  func testFramesAreValid() {
    let bytes = Provider().frame(
      token: Array(1...32), payload: #"{"aps":{"alert":"Café"}}"#, identifier: 7)
    for finding in findings(in: bytes, role: .provider, by: .standard) {
      XCTFail("\(finding.rule) at byte \(finding.range.lowerBound): \(finding.message); \(finding.fix)")
    }
  }
}
