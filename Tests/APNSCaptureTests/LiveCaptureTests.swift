import APNSCapture
import APNSInput
import Foundation
import Testing

private let loopback = "lo"

private var mayCapture: Bool {
  do {
    _ = try LiveCapture(interface: loopback, filter: nil)
    return true
  } catch {
    return false
  }
}

/// Only where this process may capture.
@Suite(.enabled(if: mayCapture)) struct LiveCaptureTests {
  /// libpcap does not tell of it.
  @Test func aFullDiskIsTold() throws {
    var capture = try LiveCapture(interface: loopback, filter: nil)
    let full = open("/dev/full", O_WRONLY)
    try #require(full >= 0)
    try capture.save(to: full, named: "out.pcap")
    var reassembler = Reassembler()
    var sink = CaptureCollector()
    var said: ReadError?
    do throws(ReadError) { try capture.read(packets: 0, into: &reassembler, &sink) } catch { said = error }
    #expect(said?.code == .unreadable)
    #expect(said?.reason.hasPrefix("out.pcap: ") == true)
  }
}
