import APNSWire

/// The identifiers of the complete notifications in a provider's bytes.
public func identifiers(in bytes: Span<UInt8>) -> [UInt64] {
  let catalog = Catalog.standard
  var framer = Framer(catalog, role: .provider)
  var found: [UInt64] = []
  var position = 0
  while let frame = framer.next(at: position, in: bytes, isFinal: true) {
    position = frame.end
    guard frame.condition == .complete else { continue }
    let leaf = catalog.leaf(.identifier, of: frame, in: bytes)
    if let identifier = leaf?.integer(in: bytes) { found.append(identifier) }
  }
  return found
}
