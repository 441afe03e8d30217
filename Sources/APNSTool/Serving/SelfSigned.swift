/// Certificates for tests, made with openssl.
package enum SelfSigned {
  /// The server's certificate and key in a folder. If they are missing, they are made, together with a CA for clients to
  /// trust, and a certificate for a client.
  package static func files(in folder: String) throws(Failure) -> (certificate: String, key: String) {
    let files = (certificate: "\(folder)/server.pem", key: "\(folder)/server.key")
    if FileKind(files.certificate) != .missing, FileKind(files.key) != .missing { return files }
    let option = "--tls-self-signed \(folder)"
    var openssl = try ChildProcess(
      ["sh", "-c", script, "sh", folder], input: "/dev/null", limits: .init(seconds: 60),
      signs: FailureSigns(refusals: [], texts: []))
    guard let outcome = openssl.finish() else { throw .unreadable("\(option): interrupted") }
    if case .exited(0) = outcome.ending { return files }
    let reason = outcome.errorLines.last ?? "openssl failed"
    throw .unreadable("\(option): \(reason); choose another folder, install openssl, or use --tls-cert")
  }

  /// The server's names include Apple's, for providers whose host cannot be changed except in /etc/hosts.
  private static let script = """
    set -e
    umask 077
    command -v openssl > /dev/null || { echo "openssl is not installed" >&2; exit 1; }
    mkdir -p -- "$1"
    cd -- "$1"
    names=DNS:localhost,IP:127.0.0.1,IP:::1
    for host in gateway.push gateway.sandbox.push feedback.push feedback.sandbox.push; do
      names=$names,DNS:$host.apple.com
    done
    openssl req -x509 -newkey rsa:2048 -nodes -sha256 -days 3650 -keyout ca.key -out ca.pem -subj "/CN=apnscope test CA"
    for side in server client; do
      openssl req -newkey rsa:2048 -nodes -sha256 -keyout $side.key -out $side.csr -subj "/CN=apnscope test $side"
      printf 'subjectAltName=%s\\nextendedKeyUsage=%sAuth\\n' "$names" $side > $side.ext
      openssl x509 -req -sha256 -days 3650 -in $side.csr -CA ca.pem -CAkey ca.key -CAcreateserial \\
        -extfile $side.ext -out $side.pem
      rm $side.csr $side.ext
    done
    """
}
