import Foundation

/// Certificates for tests, made with openssl.
enum SelfSigned {
  /// The server's certificate and key in a folder. If the folder has no such files, they are made, together with a CA for
  /// clients to trust, and a certificate for a client.
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
    openssl.arguments = ["-c", script, "sh", folder]
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

  /// The server's names include Apple's, for providers whose host cannot be changed except in /etc/hosts.
  private static let script = """
    set -e
    umask 077
    command -v openssl > /dev/null || { echo "openssl is not installed" >&2; exit 1; }
    mkdir -p -- "$1"
    cd -- "$1"
    made=$(mktemp -d ./made.XXXXXX)
    trap 'rm -rf "$made"' EXIT
    (
    cd "$made"
    names=DNS:localhost,IP:127.0.0.1,IP:::1
    for host in gateway.push gateway.sandbox.push feedback.push feedback.sandbox.push; do
      names=$names,DNS:$host.apple.com
    done
    openssl req -x509 -newkey rsa:2048 -nodes -sha256 -days 3650 -keyout ca.key -out ca.pem -subj "/CN=apnscope test CA" \\
      -addext keyUsage=critical,keyCertSign,cRLSign
    for side in server client; do
      openssl req -newkey rsa:2048 -nodes -sha256 -keyout $side.key -out $side.csr -subj "/CN=apnscope test $side"
      printf 'subjectAltName=%s\\nextendedKeyUsage=%sAuth\\nauthorityKeyIdentifier=keyid\\n' "$names" $side > $side.ext
      openssl x509 -req -sha256 -days 3650 -in $side.csr -CA ca.pem -CAkey ca.key -CAcreateserial \\
        -extfile $side.ext -out $side.pem
      rm $side.csr $side.ext
    done
    )
    mv -n "$made"/* .
    """
}
