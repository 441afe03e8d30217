import APNSWire

/// Identifiers of the whole notifications in a provider's bytes, wherever the frame type keeps them.
func identifiers(in bytes: Span<UInt8>) -> [UInt64] {
  let catalog = Catalog.standard
  var framer = Framer(catalog, role: .provider)
  var found: [UInt64] = []
  var position = 0
  while let frame = framer.next(at: position, in: bytes, isFinal: true) {
    position = frame.end
    guard frame.condition == .complete else { continue }
    if let leaf = catalog.leaf(.identifier, of: frame, in: bytes), let identifier = leaf.integer(in: bytes) {
      found.append(identifier)
    }
  }
  return found
}
