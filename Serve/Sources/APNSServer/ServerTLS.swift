import NIOCore
import NIOSSL

/// The certificates of a server that uses TLS.
public struct ServerTLS: Sendable {
  let context: NIOSSLContext

  /// A version of TLS.
  public enum Version: String, Sendable, CaseIterable {
    /// TLS 1.0, for old clients.
    case tls10 = "1.0"
    /// TLS 1.1, for old clients.
    case tls11 = "1.1"
    /// TLS 1.2.
    case tls12 = "1.2"
    /// TLS 1.3.
    case tls13 = "1.3"
  }

  /// Loads certificates.
  ///
  /// - Parameters:
  ///   - certificate: a PEM file with the server's certificate, and those that lead to its CA.
  ///   - key: a PEM file with its private key.
  ///   - clientCA: a PEM file with the CA whose certificates clients must present; nil if they need none.
  ///   - oldest: the oldest version of TLS that is accepted.
  /// - Throws: ``ServerError`` if a file cannot be used.
  public init(certificate: String, key: String, clientCA: String?, oldest: Version) throws(ServerError) {
    let chain = try Self.load(certificate, "certificate") { try NIOSSLCertificate.fromPEMFile($0) }
    let privateKey = try Self.load(key, "private key") { try NIOSSLPrivateKey(file: $0, format: .pem) }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = oldest.value
    if let clientCA {
      let roots = try Self.load(clientCA, "certificate") { try NIOSSLCertificate.fromPEMFile($0) }
      configuration.certificateVerification = .noHostnameVerification
      configuration.trustRoots = .certificates(roots)
    }
    do { context = try NIOSSLContext(configuration: configuration) } catch {
      throw ServerError("\(certificate), \(key): they cannot be used; check that the key is that of the certificate")
    }
  }

  private static func load<Value>(
    _ path: String, _ kind: String, _ load: (String) throws -> Value
  ) throws(ServerError) -> Value {
    do { return try load(path) } catch {
      throw ServerError("\(path): no \(kind) in PEM form without a passphrase can be read; check the path")
    }
  }

  /// What a client did wrong, as a sentence; nil if the error is not one of TLS.
  static func sentence(about error: any Error) -> String? {
    switch error {
    case NIOSSLError.handshakeFailed(let reason): "the TLS handshake failed: \(words(for: reason))"
    case NIOSSLError.uncleanShutdown: nil
    case let error as BoringSSLError: "TLS failed: \(words(for: error))"
    case is NIOSSLError: "TLS failed: \(error)"
    default: nil
    }
  }

  private static func words(for error: BoringSSLError) -> String {
    let text = "\(error)"
    if let known = reasons.first(where: { text.contains($0.code) }) { return known.words }
    // The rest of the text is about BoringSSL's sources.
    let codes = text.split(separator: "OPENSSL_internal:").dropFirst().compactMap { $0.split(separator: " ").first }
    return codes.isEmpty
      ? "the client closed the connection"
      : codes.map { $0.lowercased().replacing("_", with: " ") }.joined(separator: ", ")
  }

  private static let untrusted =
    "the client does not trust this server's certificate; give it the CA, and a host that the certificate names"
  private static let reasons: [(code: String, words: String)] = [
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
}

extension ServerTLS.Version {
  fileprivate var value: TLSVersion {
    switch self {
    case .tls10: .tlsv1
    case .tls11: .tlsv11
    case .tls12: .tlsv12
    case .tls13: .tlsv13
    }
  }
}
