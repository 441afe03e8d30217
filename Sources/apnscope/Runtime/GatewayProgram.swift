import APNSDiagnosis
import CProcess

/// The program that `serve` runs. It writes the connections of its clients as a capture, which becomes standard input
/// of this process.
struct GatewayProgram {
  static let name = "apnscope-serve"
  private let process: pid_t
  /// The services that it listens on, by port; empty if it cannot listen, which it has said itself.
  let ports: [UInt16: RolePolicy.Service]

  /// Starts it, and waits until it listens.
  init(_ options: [String]) throws(Failure) {
    guard let capture = Pipe(), let ports = Pipe() else {
      throw .unreadable("cannot create a pipe for \(Self.name): \(systemError())")
    }
    let kept = ports.write.number
    let words = [Self.path] + options + ["--ports-descriptor", String(kept)]
    guard let process = start(words, input: "/dev/null", output: capture.write.number, errors: 2, kept: kept) else {
      throw Self.failure()
    }
    self.process = process
    signals_pass_to(process)
    dup2(capture.read.number, 0)
    _ = ports.write.close()
    // Lines of a service and a port.
    var lines: [UInt8] = []
    try ports.read.forEachBlock(of: Self.name) { block in
      lines.append(contentsOf: block)
      return true
    }
    var services: [UInt16: RolePolicy.Service] = [:]
    for line in String(decoding: lines, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, let port = UInt16(words[1]) { services[port] = .init(rawValue: String(words[0])) }
    }
    self.ports = services
  }

  /// How it ended, once its capture has ended.
  func status() -> ExitStatus {
    // It may still write.
    close(0)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    signals_pass_to(0)
    return status & 0x7f == 0 ? ExitStatus(rawValue: status >> 8 & 0xff) ?? .unreadable : .unreadable
  }

  /// Becomes the program, with the arguments of this process.
  static func replaceThisProcess() throws(Failure) -> Never {
    become([path] + CommandLine.arguments.dropFirst(2))
    throw failure()
  }

  /// Beside this program, or else what PATH has under the name.
  private static var path: String {
    let own = resolvedPath("/proc/self/exe") ?? resolvedPath(CommandLine.arguments[0]) ?? ""
    let beside = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/" + name
    return unsafe access(beside, X_OK) == 0 ? String(beside) : name
  }

  /// Why it cannot be run; the reason is in `errno`.
  private static func failure() -> Failure {
    guard errno == ENOENT else { return .unreadable("cannot run \(name): \(systemError())") }
    return .usage(
      "serve needs the program \(name), which is neither beside apnscope nor in a folder of PATH; to build and install "
        + "it, run make install where apnscope was built")
  }
}
