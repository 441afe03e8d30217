import APNSDiagnosis
import APNSWire

/// Takes the place of a provider: writes command 2 by hand.
struct Provider {
  func frame(token: [UInt8], payload: String, identifier: UInt32) -> [UInt8] {
    let items =
      item(1, token) + item(2, Array(payload.utf8))
      + item(3, withUnsafeBytes(of: identifier.bigEndian) { Array($0) })
    return [2] + withUnsafeBytes(of: UInt32(items.count).bigEndian) { Array($0) } + items
  }

  private func item(_ id: UInt8, _ data: [UInt8]) -> [UInt8] {
    [id] + withUnsafeBytes(of: UInt16(data.count).bigEndian) { Array($0) } + data
  }
}

/// Takes the place of a gateway: replies to the first finding that Apple's gateway would have replied to.
struct Gateway {
  func reply(to bytes: [UInt8]) -> [UInt8] {
    let catalog = Catalog.standard
    for finding in findings(in: bytes, role: .provider, by: .standard) {
      guard case .status(let status) = finding.answer else { continue }
      var framer = Framer(catalog, role: .provider)
      var position = 0
      while let frame = framer.next(at: position, in: bytes.span, isFinal: true) {
        position = frame.end
        // It is in the first frame that does not end before it, also if it is about an empty value at the end.
        guard finding.range.upperBound <= frame.end else { continue }
        let identifier = catalog.leaf(.identifier, of: frame, in: bytes.span)?.integer(in: bytes.span) ?? 0
        var response = FrameDraft(ErrorResponse.schema)
        response.values = ["status": .integer(UInt64(status)), "identifier": .integer(identifier)]
        return (try? response.bytes()) ?? []
      }
    }
    return []
  }
}
