extension TextFormat {
  /// Dumps by xxd, with any of its flags but `-e`, `-i` and `-p`.
  package static let xxd = TextFormat(
    rows: "xxd", "xxd dump (any -c, -g, -u, -d, -b, -a)",
    [RowLayout(cells: .hex, column: .colon), RowLayout(cells: .bits, column: .colon)])

  package static let radare2 = TextFormat(
    rows: "radare2", "hexdump of radare2 or rizin (px)",
    [RowLayout(cells: .hex, column: OffsetColumn(prefix: .required))])

  /// Dumps of bytes, as `hexdump -C`, `od -t x1` and Wireshark print them.
  package static let hexdump = TextFormat(
    rows: "hexdump", "hexdump -C or od -t x1 dump, or Wireshark's",
    [RowLayout(cells: .hex, column: .blank), RowLayout(cells: .hex, column: OffsetColumn(mark: UInt8(ascii: "]")))])

  /// Dumps of words, as hexdump, `od -x` and `xxd -e` print them: little-endian, or of a big-endian machine.
  package static let words = TextFormat(
    rows: "words", "dump of little-endian words (hexdump, od -x, xxd -e)",
    [
      RowLayout(cells: .words, column: .blank, phrase: "a dump of little-endian words (hexdump, od -x)"),
      RowLayout(cells: .words, column: .colon, phrase: "a dump of little-endian words (xxd -e)"),
      RowLayout(cells: .bigWords, column: .blank, phrase: "a dump of big-endian words (od -x)"),
    ])

  /// Octal or character dumps, as `od -b` and `od -c` print them; also decimal ones.
  package static let octal = TextFormat(
    rows: "octal", "od in octal, characters or decimal (od, od -b, od -c, od -t u1, hexdump -b, hexdump -c)",
    // od -An prints no offsets.
    [.characters, .octalWords, .decimal, .decimalWords].map { RowLayout(cells: $0, column: .blank) }
      + [RowLayout(cells: .characters)])

  package static let gdb = TextFormat(
    rows: "gdb", "memory as gdb's x/83xb prints it (0x7ffe5000:  0x02  0x00)",
    [
      RowLayout(cells: .numbers(radix: 16, digits: 1...2), havePrefix: true, column: .gdb),
      RowLayout(cells: .decimal, column: .gdb),
      RowLayout(cells: .words, havePrefix: true, column: .gdb, phrase: "little-endian words of gdb"),
      RowLayout(cells: .bigWords, havePrefix: true, column: .gdb, phrase: "big-endian words of gdb"),
    ])

  /// Tables that Netty's `LoggingHandler` or `ByteBufUtil` prints. The log is assumed to be from the side that opened
  /// the connection.
  package static let netty = TextFormat(
    rows: "netty", "tables of Netty's LoggingHandler or ByteBufUtil (|00000000| 02 00 |..|)",
    [RowLayout(cells: .hex, column: OffsetColumn(mark: UInt8(ascii: "|")), titles: .netty)])

  package static let tcpdump = TextFormat(
    rows: "tcpdump", "packets of tcpdump -x, -X, -xx or -XX",
    [RowLayout(cells: .hex, column: .colon, packets: "tcpdump")])

  package static let tshark = TextFormat(
    rows: "tshark", "packets of tshark -x, Wireshark or text2pcap's input, or their decrypted bytes",
    [RowLayout(cells: .hex, column: .blank, titles: .packets, packets: "tshark -x")])

  /// Wireshark's Follow as hex dump or raw.
  package static let follow = TextFormat(
    rows: "follow", "Follow as hex dump or raw, with a tab before what the server sent",
    [RowLayout(cells: .hex, column: .blank, isFollow: true), RowLayout(cells: .hex, isFollow: true)])

  /// Output of `openssl s_client` with `-debug` or `-msg`: TLS records, still encrypted. With `-debug`, openssl prints
  /// copies of the same bytes, as `-msg` does; they are skipped.
  package static let openssl = TextFormat(
    rows: "openssl", "openssl s_client -debug or -msg: TLS records, still encrypted",
    [
      RowLayout(cells: .hex, column: .hyphen, titles: .openssl, needsTitle: true),
      RowLayout(cells: .hex, titles: .opensslMessages, needsTitle: true),
      RowLayout(cells: .hex, column: .hyphen),
    ])

  package static let ssldump = TextFormat(
    rows: "ssldump", "application data of ssldump -d",
    [RowLayout(cells: .hex, titles: .ssldump, needsTitle: true, isRuled: true)])

  package static let socat = TextFormat(
    rows: "socat", "transfers of socat -x or -x -v",
    [RowLayout(cells: .hex, titles: .socat, needsTitle: true)])

  private init(rows name: String, _ title: String, _ layouts: [RowLayout]) {
    self.init(name, title, layouts: { _ in layouts.map(RowText.init) })
  }
}

extension OffsetColumn? {
  fileprivate static let blank: OffsetColumn? = OffsetColumn()
  /// An offset before a colon, perhaps with `0x`.
  fileprivate static let colon: OffsetColumn? = OffsetColumn(mark: UInt8(ascii: ":"), prefix: .optional)
  fileprivate static let gdb: OffsetColumn? = OffsetColumn(mark: UInt8(ascii: ":"), prefix: .required)
  fileprivate static let hyphen: OffsetColumn? = OffsetColumn(mark: UInt8(ascii: "-"))
}
