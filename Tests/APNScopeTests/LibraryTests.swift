import APNSWire
import TestSupport
import Testing

@Suite struct LibraryTests {
  @Test func exampleFindsIdentifiers() {
    let bytes: [UInt8] = [
      1, 0, 0, 4, 210, 0, 0, 0, 9, 0, 1, 0xaa, 0, 2, 0x7b, 0x7d, 2, 0, 0, 0, 7, 3, 0, 4, 0, 0, 0, 7, 0,
    ]
    #expect(identifiers(in: bytes.span) == [1234, 7])
  }
}
