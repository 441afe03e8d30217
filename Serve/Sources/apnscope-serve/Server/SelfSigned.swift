import Foundation

/// Certificates for tests, made with openssl.
enum SelfSigned {
  /// The server's certificate and key in a folder. If the folder has no such files, they are made, together with a CA
  /// for clients to trust, and a certificate for a client.
  static func files(in folder: String) throws(Failure) -> (certificate: String, key: String) {
    let files = (certificate: "\(folder)/server.pem", key: "\(folder)/server.key")
    let option = "--tls-self-signed \(folder)"
    let missing = names.filter { !FileManager.default.fileExists(atPath: "\(folder)/\($0)") }
    if missing.isEmpty { return files }
    guard missing == names else {
      let others = names.filter { !missing.contains($0) }
      throw .unreadable(
        "\(option): it has \(others.joined(separator: ", ")), but not \(missing.joined(separator: ", ")); "
          + "remove these files, choose another folder, or use --tls-cert")
    }
    let openssl = Process()
    openssl.executableURL = URL(filePath: "/bin/sh")
    openssl.arguments = ["-c", String(decoding: PackageResources.self_signed_sh, as: UTF8.self), "sh", folder]
    openssl.standardInput = FileHandle.nullDevice
    openssl.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    openssl.standardError = errors
    do { try openssl.run() } catch { throw .unreadable("\(option): \(error.localizedDescription)") }
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    openssl.waitUntilExit()
    if openssl.terminationStatus == 0 { return files }
    let reason = said.split(whereSeparator: \.isNewline).last ?? "openssl failed"
    throw .unreadable("\(option): \(reason); choose another folder, install openssl, or use --tls-cert")
  }

  static let names = ["ca.pem", "ca.key", "server.pem", "server.key", "client.pem", "client.key"]
}
