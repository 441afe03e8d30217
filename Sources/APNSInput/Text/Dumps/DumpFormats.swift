extension TextFormat {
  /// Dumps by xxd, with any of its flags but `-e`, `-i` and `-p`.
  package static let xxd = TextFormat(
    "xxd", "xxd dump (any -c, -g, -u, -d, -b, -a)", needs: ":",
    layouts: { head in
      rows(.hex, marked(":"), logs: head.offsetColumns) + rows(.bits, marked(":"))
    })

  /// Dumps by the command `px` of radare2.
  package static let radare2 = TextFormat(
    "radare2", "hexdump of radare2 or rizin (px)", needs: "x",
    layouts: { _ in rows(.hex, OffsetColumn(prefix: .required)) })

  /// Dumps of bytes, as `hexdump -C`, `od -t x1` and Wireshark print them.
  package static let hexdump = TextFormat(
    "hexdump", "hexdump -C or od -t x1 dump, or Wireshark's",
    layouts: { head in
      rows(.hex, OffsetColumn(), logs: head.offsetColumns, hasGroups: false) + rows(.hex, marked("]"), hasGroups: false)
        + rows(.hex, OffsetColumn())
    })

  /// Dumps of little-endian words, as hexdump, `od -x` and `xxd -e` print them.
  package static let words = TextFormat(
    "words", "dump of little-endian words (hexdump, od -x, xxd -e)",
    layouts: { _ in
      [
        Dump(
          RowLayout(
            cells: .words, column: OffsetColumn(), phrase: "a dump of little-endian words (hexdump, od -x)",
            isAssumed: true)),
        Dump(RowLayout(cells: .words, column: marked(":"), phrase: "a dump of little-endian words (xxd -e)")),
      ]
    })

  /// Octal or character dumps, as `od -b` and `od -c` print them; also decimal ones.
  package static let octal = TextFormat(
    "octal", "od in octal, characters or decimal (od, od -b, od -c, od -t u1, hexdump -b, hexdump -c)",
    layouts: { _ in
      [RowLayout.Cells.characters, .octalWords, .decimal].map { cells in
        Dump(RowLayout(cells: cells, column: OffsetColumn(), phrase: "an od dump, octal, characters or decimal"))
      }
    })

  /// Memory as the commands `x/83xb` and `x/83ub` of gdb print it.
  package static let gdb = TextFormat(
    "gdb", "memory as gdb's x/83xb prints it (0x7ffe5000:  0x02  0x00)", needs: "x",
    layouts: { _ in
      let column = OffsetColumn(mark: UInt8(ascii: ":"), prefix: .required)
      return rows(.prefixedHex, column) + rows(.decimal, column)
        + [
          Dump(
            RowLayout(
              cells: .words, column: column, phrase: "little-endian words of gdb", isAssumed: true)),
          Dump(RowLayout(cells: .bigWords, column: column, phrase: "big-endian words of gdb", isAssumed: true)),
        ]
    })

  /// Tables that Netty's `LoggingHandler` or `ByteBufUtil` prints.
  package static let netty = TextFormat(
    "netty", "tables of Netty's LoggingHandler or ByteBufUtil (|00000000| 02 00 |..|)", needs: "|",
    layouts: { _ in [Dump(RowLayout(cells: .hex, column: marked("|")), channels: Channels())] })

  /// Packets as tcpdump prints them with `-x`, `-X`, `-xx` or `-XX`.
  package static let tcpdump = TextFormat(
    "tcpdump", "packets of tcpdump -x, -X, -xx or -XX", needs: ":",
    layouts: { _ in [Dump(RowLayout(cells: .hex, column: marked(":")), blocks: PacketBlocks("tcpdump"))] })

  /// Packets as `tshark -x` or Wireshark prints them, or their decrypted bytes.
  package static let tshark = TextFormat(
    "tshark", "packets of tshark -x, Wireshark or text2pcap's input, or their decrypted bytes",
    layouts: { _ in
      [Dump(RowLayout(cells: .hex, column: OffsetColumn(), hasGroups: false), blocks: PacketBlocks("tshark -x"))]
    })

  /// Wireshark's Follow as hex dump or raw.
  package static let follow = TextFormat(
    "follow", "Follow as hex dump or raw, with a tab before what the server sent", needs: "=\t",
    layouts: { _ in
      [
        Dump(RowLayout(cells: .hex, column: OffsetColumn(), hasGroups: false), isFollow: true),
        DigitText(.follow),
      ]
    })

  private static func marked(_ mark: Unicode.Scalar) -> OffsetColumn {
    OffsetColumn(mark: UInt8(ascii: mark), prefix: mark == ":" ? .optional : .none)
  }

  /// Dumps with this column of offsets, and with this many words of a log before it.
  private static func rows(
    _ cells: RowLayout.Cells, _ column: OffsetColumn, logs: [Int] = [], hasGroups: Bool = true
  ) -> [Dump] {
    ([0] + logs).map { skipped in
      var column = column
      column.skipped = skipped
      return Dump(RowLayout(cells: cells, column: column, hasGroups: hasGroups))
    }
  }
}

extension TextLine {
  /// Whether the line is one that Follow prints around the bytes: a rule of equal signs, or the names of the stream and
  /// its endpoints.
  var isFollowHeading: Bool {
    ["===", "Node ", "Follow:", "Filter:"].contains { text[first...].starts(with: $0.utf8) }
  }
}
