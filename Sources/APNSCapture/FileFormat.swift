import APNSInput

/// Whether the bytes begin like a pcap file (either byte order, microseconds or nanoseconds) or a pcapng file.
package func isCapture(_ head: [UInt8]) -> Bool {
  guard head.starts(with: pcapngMagic) else { return head.count >= 4 && PcapReader.Format(head) != nil }
  // The magic consists of line ends, so the byte order mark is checked too.
  switch head.dropFirst(8).prefix(4) {
  case [0x1a, 0x2b, 0x3c, 0x4d], [0x4d, 0x3c, 0x2b, 0x1a]: return true
  default: return head.count < 12
  }
}

let pcapngMagic: [UInt8] = [0x0a, 0x0d, 0x0d, 0x0a]

/// A file format that is not supported, but that another tool can convert or unpack.
package struct ForeignFile: Sendable {
  let name: String
  let fix: String
  private let matches: @Sendable ([UInt8]) -> Bool

  /// An error that names the format of a file beginning with `head` and says how to convert it; nil if it is unknown.
  package static func error(for head: [UInt8]) -> ReadError? {
    all.first { $0.matches(head) }.map { ReadError(.foreignFile, "this is \($0.name); \($0.fix)") }
  }

  private static let all = [
    compressed("zstd", with: "zstd -dc", [0x28, 0xb5, 0x2f, 0xfd]),
    compressed("lz4", with: "lz4 -dc", [0x04, 0x22, 0x4d, 0x18]),
    compressed("xz", with: "xz -dc", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]),
    ForeignFile(name: "bzip2", fix: "unpack it first: bzip2 -dc FILE | apnscope") { head in
      head.starts(with: "BZh".utf8) && head.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
    },
    ForeignFile(name: "gzip within gzip", fix: "unpack it once: gzip -dc FILE | apnscope") {
      $0.starts(with: Gunzip.magic)
    },
    archive("zip", with: "unzip FILE") { $0.starts(with: [0x50, 0x4b, 3, 4]) || $0.starts(with: [0x50, 0x4b, 5, 6]) },
    archive("7-Zip", with: "7z x FILE") { $0.starts(with: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]) },
    archive("tar", with: "tar xf FILE") { $0.dropFirst(257).starts(with: "ustar".utf8) },
    capture("snoop") { $0.starts(with: Array("snoop".utf8) + [0, 0, 0]) },
    capture("Microsoft Network Monitor") { head in
      // A version follows the letters.
      (head.starts(with: "GMBU".utf8) || head.starts(with: "RTSS".utf8)) && head.count > 4 && head[4] < 0x20
    },
    capture("iptrace") { $0.starts(with: "iptrace 1.0".utf8) || $0.starts(with: "iptrace 2.0".utf8) },
    capture("K12 text") { $0.starts(with: "+---------+---------------+----------+".utf8) },
    ForeignFile(
      name: "an HTTP archive (HAR)", fix: "it contains HTTP exchanges, not the binary protocol: record with tcpdump",
      matches: isHTTPArchive),
  ]

  private static func compressed(_ name: String, with command: String, _ magic: [UInt8]) -> ForeignFile {
    ForeignFile(name: name, fix: "unpack it first: \(command) FILE | apnscope") { $0.starts(with: magic) }
  }

  private static func archive(
    _ name: String, with command: String, matches: @escaping @Sendable ([UInt8]) -> Bool
  ) -> ForeignFile {
    ForeignFile(name: "a \(name) archive", fix: "extract the files first: \(command)", matches: matches)
  }

  private static func capture(_ name: String, matches: @escaping @Sendable ([UInt8]) -> Bool) -> ForeignFile {
    ForeignFile(
      name: "a capture of the format \(name)", fix: "convert it: editcap -F pcapng FILE out.pcapng", matches: matches)
  }

  /// A JSON object whose first member is `log`.
  @Sendable private static func isHTTPArchive(_ head: [UInt8]) -> Bool {
    let text = head.prefix(1024).filter { $0 > 0x20 }
    return text.starts(with: #"{"log":{"#.utf8)
      && [#""creator":"#, #""version":"#, #""pages":"#, #""entries":"#].contains { member in
        text.dropFirst(8).starts(with: member.utf8)
      }
  }
}

extension ReadError.Code {
  /// The file has a known format that is not supported.
  package static let foreignFile = Self(rawValue: "foreign-file")
}
