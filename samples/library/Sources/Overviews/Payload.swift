import APNSPayload

/// The keys of a payload's `aps` dictionary that Apple does not document.
public func unknownKeys(in payload: [UInt8]) -> [String] {
  var outline = PayloadOutline()
  outline.read(payload.span, 0..<payload.count)
  let unknown = outline.members.filter { $0.container == .aps && $0.key == nil }
  return unknown.map { String(decoding: payload[$0.keyRange], as: UTF8.self) }
}
