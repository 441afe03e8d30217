import APNSInput
import Testing

@Suite struct EndpointTests {
  @Test(arguments: [
    "10.0.0.1:40000", "0.0.0.0:0", "255.255.255.255:65535", "[::]:1", "[::1]:2195", "[2001:db8::1]:2196",
    "[1:2:3:4:5:6:7:8]:9", "[1:0:0:2::]:3", "[::ffff:10.0.0.1]:2195", "[fe80::1:0:0:1]:5",
  ])
  func isReadAsItIsWritten(_ text: String) {
    #expect(Endpoint(text)?.description == text)
  }

  @Test(arguments: [
    "", "10.0.0.1", "10.0.0:1", "10.0.0.256:1", "10.0.0.1:65536", "::1:5", "[::1]", "[1:2]:3", "[1::2::3]:4",
    "[12345::]:1",
    "[::ffff:1.2.3]:4", "host:1", "10.0.0.1.1:5",
  ])
  func isRefused(_ text: String) {
    #expect(Endpoint(text) == nil)
  }
}
