import Foundation
import TestSupport
import Testing

#if os(Linux)
  let mayCapture: Bool = {
    let packets = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0)
    if packets >= 0 { close(packets) }
    return geteuid() == 0 && packets >= 0
  }()

  /// `capture`, run on loopback.
  @Suite(.enabled(if: mayCapture, "only root may capture"), .endedIfItHangs) struct LiveTests {
    /// A run of `capture` that has begun to listen.
    private struct Run {
      let process = Process()
      private let output = Pipe()
      private let errors = Pipe()

      /// - Parameter launcher: A command that replaces itself with the one that follows.
      init(
        _ arguments: [String], in folder: URL, environment: [String: String] = [:], by launcher: [String] = []
      ) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
          launcher + [TranscriptTests.binFolder.appending(path: "apnscope").path, "capture", "-i", "lo"] + arguments
        process.currentDirectoryURL = folder
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var said = ""
        while !said.contains("listening on lo"), let data = try errors.fileHandleForReading.read(upToCount: 1) {
          said += String(decoding: data, as: UTF8.self)
        }
        guard said.contains("listening on lo") else { throw CocoaError(.executableLoad) }
      }

      /// What it has said since it began to listen, once it has ended.
      func messages() throws -> String {
        String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      }

      /// What it wrote, once it has ended.
      func end(with signal: Int32? = nil) throws -> String {
        if let signal { kill(process.processIdentifier, signal) }
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
      }

      /// The numbers in a row of its status, such as its user's.
      func status(_ row: String) throws -> [Int] {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(row + ":") })
        return line.dropFirst(row.count + 1).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      }
    }

    @Test func showsWhatPassesAnInterface() throws {
      let scratch = try Scratch()
      defer { scratch.remove() }
      let server = try Loopback()
      // The handshake has three packets, and the fourth one carries the frame.
      let run = try Run(
        ["-f", "tcp port \(server.port)", "-d", "tcp.port==\(server.port),push", "-c", "6", "-T", "ndjson"],
        in: scratch.folder)
      try server.receive([0, 0, 2, 0xa7, 0xb2, 0, 2, 0x7b, 0x7d])
      let line = try run.end()
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
      #expect(object["type"] as? String == "legacy-notification")
      #expect(object["token"] as? String == "a7b2")
      #expect((object["to"] as? String)?.hasSuffix(":\(server.port)") == true)
    }

    /// To the user who ran sudo; their file is written with their rights.
    @Test(arguments: [(["SUDO_UID": "1234", "SUDO_GID": "1235"], 1234, 1235), ([:], 65_534, 65_534)])
    func dropsTheRightsOfRoot(environment: [String: String], user: Int, group: Int) throws {
      let scratch = try Scratch()
      defer { scratch.remove() }
      if user == 1234 {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.path(""))
      }
      let run = try Run(["-w", "packets.pcap"], in: scratch.folder, environment: environment)
      #expect(try run.status("Uid") == [user, user, user, user])
      #expect(try run.status("Gid") == [group, group, group, group])
      #expect(try run.status("Groups") == [group])
      try expectNoCapability(in: run, "CapBnd")
      _ = try run.end(with: SIGINT)
      #expect(run.process.terminationStatus == 0)
      let owner =
        try FileManager.default.attributesOfItem(atPath: scratch.path("packets.pcap"))[.ownerAccountID] as? Int
      #expect(owner == (user == 1234 ? 1234 : 0))
    }

    /// A user who is not root, but may capture.
    @Test func dropsCapabilities() throws {
      let scratch = try Scratch()
      defer { scratch.remove() }
      try scratch.need("setpriv")
      let rights = "+net_raw,+net_admin"
      let run = try Run(
        ["-f", "tcp port 1"], in: scratch.folder,
        by: [
          "setpriv", "--reuid", "1234", "--regid", "1235", "--clear-groups", "--inh-caps", rights, "--ambient-caps",
          rights,
        ])
      #expect(try run.status("Uid") == [1234, 1234, 1234, 1234])
      try expectNoCapability(in: run)
      _ = try run.end(with: SIGINT)
      #expect(run.process.terminationStatus == 0)
    }

    private func expectNoCapability(in run: Run, _ others: String...) throws {
      for row in ["CapInh", "CapPrm", "CapEff", "CapAmb"] + others { #expect(try run.status(row) == [0], "\(row)") }
      #expect(try run.status("NoNewPrivs") == [1])
    }

    /// The file ends with a complete packet, and that is said once. A limit has the effect of a full disk.
    @Test func endsWithACompletePacket() throws {
      let scratch = try Scratch()
      defer { scratch.remove() }
      let server = try Loopback()
      // In units of 512 bytes.
      let run = try Run(
        ["-f", "tcp port \(server.port)", "-w", "packets.pcap", "--fail-on", "never"], in: scratch.folder,
        by: ["sh", "-c", "ulimit -f 2; exec \"$@\"", "sh"])
      try server.receive([UInt8](repeating: 0, count: 2000))
      _ = try run.end()
      let said = try run.messages()
      #expect(run.process.terminationStatus == 3)
      #expect(said.split(separator: "packets.pcap: File too large").count == 2, "\(said)")
      let file = try scratch.bytes("packets.pcap")
      var end = 24
      while end + 16 <= file.count {
        end += 16 + file[(end + 8)..<(end + 12)].reversed().reduce(0) { $0 << 8 | Int($1) }
      }
      #expect(end == file.count && end > 24, "\(said)")
    }

    /// A user who may run this with sudo may not write wherever root may.
    @Test func opensNoFileThatItsUserMayNot() throws {
      let scratch = try Scratch()
      defer { scratch.remove() }
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path(""))
      let said = try scratch.run("SUDO_UID=1234 SUDO_GID=1235 apnscope capture -i lo -w packets.pcap")
      #expect(said.contains("packets.pcap: Permission denied") && said.hasSuffix("? 3\n"), "\(said)")
    }
  }

  /// A listener on a free port of 127.0.0.1.
  private struct Loopback: ~Copyable {
    let port: UInt16
    private let listener: Int32

    init() throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.address(0)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
        }
      }
      try #require(isBound)
      self.listener = listener
      port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }

    /// Connects, sends these bytes, and closes.
    func receive(_ bytes: [UInt8]) throws {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(client) }
      var address = Self.address(port)
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      try #require(isConnected)
      let accepted = accept(listener, nil, nil)
      defer { close(accepted) }
      try #require(bytes.withUnsafeBytes { write(client, $0.baseAddress, $0.count) } == bytes.count)
      var room = [UInt8](repeating: 0, count: bytes.count)
      #expect(read(accepted, &room, room.count) == bytes.count)
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      return address
    }
  }
#endif
