extension TextFormat {
  /// Dumps by xxd, with any of its flags but `-e`, `-i` and `-p`.
  package static let xxd = TextFormat(
    "xxd", "xxd dump (any -c, -g, -u, -d, -b, -a)", needs: ":",
    layouts: { head in
      [RowText(.hex, .colon), RowText(.bits, .colon)] + logs(RowText(.hex, .colon), head)
    })

  /// Dumps by the command `px` of radare2.
  package static let radare2 = TextFormat(
    "radare2", "hexdump of radare2 or rizin (px)", needs: "x",
    layouts: { _ in [RowText(.hex, OffsetColumn(prefix: .required))] })

  /// Dumps of bytes, as `hexdump -C`, `od -t x1` and Wireshark print them.
  package static let hexdump = TextFormat(
    "hexdump", "hexdump -C or od -t x1 dump, or Wireshark's",
    layouts: { head in
      let bytes = RowText(.hex, .blank) { $0.hasGroups = false }
      return [bytes, RowText(.hex, OffsetColumn(mark: "]")) { $0.hasGroups = false }] + logs(bytes, head)
    })

  /// Dumps of little-endian words, as hexdump, `od -x` and `xxd -e` print them.
  package static let words = TextFormat(
    "words", "dump of little-endian words (hexdump, od -x, xxd -e)",
    layouts: { _ in
      [
        RowText(.words, .blank) { layout in
          (layout.phrase, layout.isAssumed) = ("a dump of little-endian words (hexdump, od -x)", true)
        },
        RowText(.words, .colon) { $0.phrase = "a dump of little-endian words (xxd -e)" },
      ]
    })

  /// Octal or character dumps, as `od -b` and `od -c` print them; also decimal ones.
  package static let octal = TextFormat(
    "octal", "od in octal, characters or decimal (od, od -b, od -c, od -t u1, hexdump -b, hexdump -c)",
    layouts: { _ in
      [RowLayout.Cells.characters, .octalWords, .decimal].map { cells in
        RowText(cells, .blank) { $0.phrase = "an od dump, octal, characters or decimal" }
      }
    })

  /// Memory as the commands `x/83xb` and `x/83ub` of gdb print it.
  package static let gdb = TextFormat(
    "gdb", "memory as gdb's x/83xb prints it (0x7ffe5000:  0x02  0x00)", needs: "x",
    layouts: { _ in
      let column = OffsetColumn(mark: ":", prefix: .required)
      return [RowText(.prefixedHex, column), RowText(.decimal, column)]
        + [(.words, "little-endian words of gdb"), (.bigWords, "big-endian words of gdb")].map { cells, phrase in
          RowText(cells, column) { ($0.phrase, $0.isAssumed) = (phrase, true) }
        }
    })

  /// Tables that Netty's `LoggingHandler` or `ByteBufUtil` prints. The log is assumed to be from the side that opened
  /// the connection.
  package static let netty = TextFormat(
    "netty", "tables of Netty's LoggingHandler or ByteBufUtil (|00000000| 02 00 |..|)", needs: "|",
    layouts: { _ in [RowText(.hex, OffsetColumn(mark: "|")) { $0.titles = .netty }] })

  /// Packets as tcpdump prints them with `-x`, `-X`, `-xx` or `-XX`.
  package static let tcpdump = TextFormat(
    "tcpdump", "packets of tcpdump -x, -X, -xx or -XX", needs: ":",
    layouts: { _ in [RowText(.hex, .colon) { $0.packets = "tcpdump" }] })

  /// Packets as `tshark -x` or Wireshark prints them, or their decrypted bytes.
  package static let tshark = TextFormat(
    "tshark", "packets of tshark -x, Wireshark or text2pcap's input, or their decrypted bytes",
    layouts: { _ in
      [
        RowText(.hex, .blank) { layout in
          (layout.packets, layout.titles, layout.hasGroups) = ("tshark -x", .packets, false)
        }
      ]
    })

  /// Wireshark's Follow as hex dump or raw.
  package static let follow = TextFormat(
    "follow", "Follow as hex dump or raw, with a tab before what the server sent", needs: "=\t",
    layouts: { head in
      [
        RowText(.hex, .blank) { ($0.isFollow, $0.hasGroups) = (true, false) },
        DigitText(.follow, head, DigitRun(.oneMark)),
      ]
    })

  /// Output of `openssl s_client` with `-debug` or `-msg`: TLS records, still encrypted. With `-debug`, openssl prints
  /// copies of the same bytes, as `-msg` does; they are skipped.
  package static let openssl = TextFormat(
    "openssl", "openssl s_client -debug or -msg: TLS records, still encrypted",
    layouts: { _ in
      let column = OffsetColumn(mark: "-")
      return [
        transfers(.openssl, column, "the TLS records of openssl -debug, stream 0 written and stream 1 read"),
        transfers(.opensslMessages, nil, "the TLS messages of openssl -msg, stream 0 sent and stream 1 received"),
        RowText(.hex, column) { $0.phrase = "a dump of openssl" },
      ]
    })

  /// Application data as `ssldump -d` prints it.
  package static let ssldump = TextFormat(
    "ssldump", "application data of ssldump -d", needs: ">",
    layouts: { _ in [transfers(.ssldump, nil, "the application data of ssldump", isRuled: true)] })

  /// Transfers as socat prints them with `-x`.
  package static let socat = TextFormat(
    "socat", "transfers of socat -x or -x -v", needs: "=", layouts: { _ in [transfers(.socat, nil, nil)] })

  /// Rows below titles only.
  private static func transfers(
    _ titles: [RowTitle.Form], _ column: OffsetColumn?, _ phrase: String?, isRuled: Bool = false
  ) -> RowText {
    RowText(.hex, column) { layout in
      (layout.titles, layout.needsTitle, layout.isRuled, layout.phrase) = (titles, true, isRuled, phrase)
    }
  }

  /// The same rows after words of a log.
  private static func logs(_ rows: RowText, _ head: TextHead) -> [RowText] {
    head.offsetColumns.map { skipped in
      var column = rows.layout.column
      column?.skipped = skipped
      return RowText(rows.layout.cells, column) { $0.hasGroups = rows.layout.hasGroups }
    }
  }
}

extension OffsetColumn {
  /// An offset before a blank.
  fileprivate static let blank = OffsetColumn()
  /// An offset before a colon, perhaps with `0x`.
  fileprivate static let colon = OffsetColumn(mark: ":", prefix: .optional)
}

extension TextLine {
  /// Whether the line is one that Follow prints around the bytes: a rule of equal signs, or the names of the stream and
  /// its endpoints.
  var isFollowHeading: Bool {
    ["===", "Node ", "Follow:", "Filter:"].contains { text[first...].starts(with: $0.utf8) }
  }
}
