import APNSDiagnosis
import APNSInput
import APNSWire
import Octets
import Testing

/// The same frames again: a bug if a whole batch is written once for each notification in it, not if a text is sent again.
@Suite struct RepeatedBatchTests {
  /// Commands 0: nothing says that a text is the same notification again.
  @Test(arguments: [(2, 20), (5, 5), (5, 2)]) func sameTextAgainIsNoBatch(_ devices: Int, _ times: Int) {
    let batch = (0..<devices).map { legacy(device: $0) }
    #expect(runs(Array(repeating: batch, count: times).joined().map { ($0, nil) }).isEmpty)
  }

  /// An hour apart by the capture's clock, with the same identifiers or without any.
  @Test(arguments: [false, true]) func anHourApartIsNoBatch(_ hasIdentifiers: Bool) {
    for devices in 2...4 {
      let batch = (0..<devices).map { hasIdentifiers ? enhanced(device: $0) : legacy(device: $0) }
      let sent = (0..<devices).flatMap { hour in batch.map { ($0, Optional(1_384_732_800 + hour * 3600)) } }
      #expect(runs(sent).isEmpty, "\(devices) devices")
    }
  }

  /// Written in one go by the capture's clock, identifiers are not needed.
  @Test func batchInOneGo() {
    let batch = (0..<3).map { legacy(device: $0) }
    #expect(runs(Array(repeating: batch, count: 3).joined().map { ($0, 1_384_732_800) }) == [8])
    #expect(runs(Array(repeating: batch, count: 2).joined().map { ($0, 1_384_732_800) }).isEmpty)
  }

  @Test(arguments: 2...8) func identifiersShowTheBatch(_ count: Int) {
    let batch = (0..<count).map { enhanced(device: $0) }
    let start = legacy(device: 9)
    let stream = [start] + Array(repeating: batch, count: count).joined()
    #expect(runs(stream.map { ($0, nil) }) == [count * count])
    // Not as often as it has notifications.
    #expect(runs(stream.dropLast().map { ($0, nil) }).isEmpty)
  }

  /// One identifier for all notifications says nothing about which they are.
  @Test func sharedIdentifiersShowNothing() {
    let batch = (0..<3).map { enhanced(device: $0, identifier: 1234) }
    #expect(runs(Array(repeating: batch, count: 3).joined().map { ($0, nil) }).isEmpty)
  }

  /// The frames, by index, at which the rule fires, and its cause with it.
  private func runs(_ frames: [(bytes: [UInt8], time: Int?)]) -> [Int] {
    var dissector = Dissector(.standard, policy: RolePolicy(role: .provider), into: Gathered())
    dissector.open(ByteStream(number: 0))
    for (index, frame) in frames.enumerated() {
      let origin = frame.time.map {
        Origin.packet(
          Origin.Packet(number: index + 1, time: CaptureTime(seconds: $0, nanoseconds: 0, digits: 6)))
      }
      dissector.append(frame.bytes.span, from: origin ?? .input(offset: 0), to: 0)
    }
    dissector.finish()
    return dissector.records.indexes
  }

  private struct Gathered: RecordSink {
    var indexes: [Int] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      for finding in record.findings where finding.rule == "repeated-batch" {
        indexes.append(record.number - 1)
      }
    }
  }

  private func legacy(device: Int) -> [UInt8] {
    [0] + bigEndian(32, 2) + token(device) + bigEndian(goodPayload.count, 2) + goodPayload
  }

  private func enhanced(device: Int, identifier: Int? = nil) -> [UInt8] {
    [1] + bigEndian(identifier ?? device + 1, 4) + bigEndian(1_384_819_200, 4) + bigEndian(32, 2) + token(device)
      + bigEndian(goodPayload.count, 2) + goodPayload
  }

  private func token(_ device: Int) -> [UInt8] { goodToken.map { $0 &+ UInt8(device) } }
}
