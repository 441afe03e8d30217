import ArgumentParser
import NIOSSL

extension TLSOptions {
  /// Nil for connections without TLS.
  func context() throws(Failure) -> NIOSSLContext? {
    var files: (certificate: String, key: String)?
    if let tlsCert, let tlsKey { files = (tlsCert, tlsKey) }
    if let tlsSelfSigned { files = try SelfSigned.files(in: tlsSelfSigned) }
    guard let files else { return nil }
    let chain = try load(files.certificate, "certificate") { try NIOSSLCertificate.fromPEMFile($0) }
    let key = try load(files.key, "private key") { try NIOSSLPrivateKey(file: $0, format: .pem) }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = tlsMin.value
    if let clientCA {
      let roots = try load(clientCA, "certificate") { try NIOSSLCertificate.fromPEMFile($0) }
      configuration.certificateVerification = .noHostnameVerification
      configuration.trustRoots = .certificates(roots)
    }
    do { return try NIOSSLContext(configuration: configuration) } catch {
      throw .unreadable(
        "\(files.certificate), \(files.key): they cannot be used; check that the key is that of the certificate")
    }
  }

  private func load<Value>(
    _ path: String, _ kind: String, _ load: (String) throws -> Value
  ) throws(Failure) -> Value {
    do { return try load(path) } catch {
      throw .unreadable("\(path): no \(kind) in PEM form without a passphrase can be read; check the path")
    }
  }
}

enum OldestTLS: String, CaseIterable, ExpressibleByArgument {
  case tls10 = "1.0"
  case tls11 = "1.1"
  case tls12 = "1.2"
  case tls13 = "1.3"

  fileprivate var value: TLSVersion {
    switch self {
    case .tls10: .tlsv1
    case .tls11: .tlsv11
    case .tls12: .tlsv12
    case .tls13: .tlsv13
    }
  }
}

/// What a client did wrong, as a sentence; nil if the error is not one of TLS.
func tlsFailure(_ error: any Error) -> String? {
  switch error {
  case NIOSSLError.handshakeFailed(let reason): "the TLS handshake failed: \(words(for: reason))"
  case NIOSSLError.uncleanShutdown: nil
  case let error as BoringSSLError: "TLS failed: \(words(for: error))"
  case is NIOSSLError: "TLS failed: \(error)"
  default: nil
  }
}

private func words(for error: BoringSSLError) -> String {
  let text = "\(error)"
  if let known = reasons.first(where: { text.contains($0.code) }) { return known.words }
  // The rest of the text is about BoringSSL's sources.
  let codes = text.split(separator: "OPENSSL_internal:").dropFirst().compactMap { $0.split(separator: " ").first }
  return codes.isEmpty
    ? "the client closed the connection"
    : codes.map { $0.lowercased().replacing("_", with: " ") }.joined(separator: ", ")
}

private let untrusted =
  "the client does not trust this server's certificate; give it the CA, and a host that the certificate names"
private let reasons: [(code: String, words: String)] = [
  ("PEER_DID_NOT_RETURN_A_CERTIFICATE", "the client sent no certificate, which --client-ca demands"),
  ("CERTIFICATE_VERIFY_FAILED", "the client's certificate is not from the CA that --client-ca names"),
  ("UNKNOWN_CA", untrusted), ("BAD_CERTIFICATE", untrusted), ("CERTIFICATE_UNKNOWN", untrusted),
  // OpenSSL 3 sends its alert unencrypted.
  ("BAD_PACKET_LENGTH", untrusted),
  ("UNSUPPORTED_PROTOCOL", "the client's version of TLS is older than --tls-min; old clients need --tls-min 1.0"),
  ("BAD_RECORD_MAC", "the client sent a damaged record"),
  ("HTTP_REQUEST", "the client does not speak TLS, but HTTP"),
  ("WRONG_VERSION_NUMBER", "the client sent something that is not TLS"),
]
