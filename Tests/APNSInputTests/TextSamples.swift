import APNSInput
import Testing

/// A text and the bytes it must give, by itself and when its format is named.
struct TextSample: CustomTestStringConvertible {
  let name: String
  let format: TextFormat
  let text: String
  let hex: String
  /// Whether it is recognised.
  var isRecognised = true

  var testDescription: String { name }
  var bytes: [UInt8] { Array(text.utf8) }
}

/// 08 08 de ad be ef and "beefcafe 12", whose characters look like bytes themselves, unless a sample says otherwise.
/// The dumps were written by xxd 2022-01-14 and hexdump (util-linux 2.38.1).
let textSamples: [TextSample] = [
  TextSample(name: "xxd -p", format: .plain, text: "0808deadbeef\n", hex: "0808deadbeef"),
  TextSample(name: "one line without an end", format: .plain, text: "0808DEADbeef", hex: "0808deadbeef"),
  TextSample(name: "groups and CRLF", format: .plain, text: "08 08\tdead\r\n\r\nbeef\r\n", hex: "0808deadbeef"),
  TextSample(name: "0x prefix", format: .plain, text: "0x0808dead", hex: "0808dead"),
  TextSample(name: "colons", format: .plain, text: "08:08:de:\n  ad", hex: "0808dead"),
  TextSample(name: "hyphens", format: .plain, text: "08-08-de-ad", hex: "0808dead"),
  TextSample(name: "commas", format: .plain, text: "08, 08, de, ad", hex: "0808dead"),
  TextSample(name: "comments", format: .plain, text: "# one\n08\n  # 2a 0x8\n08", hex: "0808"),
  TextSample(name: "byte order mark", format: .plain, text: "\u{FEFF}0808", hex: "0808"),
  TextSample(name: "offset-like first group", format: .plain, text: "0808dead beef", hex: "0808deadbeef"),

  TextSample(name: "bits", format: .bits, text: "00000001 00000000\n11111111", hex: "0100ff"),
  TextSample(name: "bits after 0b", format: .bits, text: "0b00001000, 0b1000 0B0", hex: "080800"),
  TextSample(name: "bits in halves", format: .bits, text: "0b0000_1000", hex: "08"),
  TextSample(
    name: "bits without 0b, in halves", format: .bits, text: "0000_1000 0001_1000", hex: "0818"),
  TextSample(name: "bits in one run", format: .bits, text: "0000100000011000", hex: "0818", isRecognised: false),
  TextSample(name: "few zeros", format: .plain, text: "00000000", hex: "00000000"),
  TextSample(name: "a run of zeros", format: .plain, text: "0000000000000000", hex: "0000000000000000"),
  TextSample(name: "one group of 0 and 1", format: .plain, text: "00010001", hex: "00010001"),
  TextSample(name: "words of 0 and 1", format: .plain, text: "0100 0000 0100 0000", hex: "0100000001000000"),

  TextSample(
    name: "xxd -i", format: .c,
    text: """
      unsigned char t_bin[] = {
        0x08, 0x08, 0xde, 0xad, 0xbe, 0xef
      };
      unsigned int t_bin_len = 17;
      """, hex: "0808deadbeef"),
  TextSample(name: "xxd -i from a pipe", format: .c, text: "  0x08, 0x08, 0xde,\n  0xad\n", hex: "0808dead"),
  TextSample(
    name: "Wireshark's C array", format: .c, text: "unsigned char bytes[] = {0x8, 0x8, 0xde};", hex: "0808de"),
  TextSample(name: "Wireshark's Go literal", format: .c, text: "[]byte{0x8, 0x8, 0xDE}", hex: "0808de"),
  TextSample(
    name: "Follow as C arrays", format: .c,
    text: "char peer0_0[] = { /* Packet 10 */\n0x02, 0x00 };\nchar peer0_1[] = { // 0x7\n0X1 };\n",
    hex: "020001"),
  TextSample(name: "one short value", format: .c, text: "0x8", hex: "08"),
  TextSample(name: "no commas", format: .c, text: "0x08 0x09\n0x0a", hex: "08090a"),
  TextSample(name: "the end of an array", format: .c, text: "0x1, 0x2 };\nint n = 0x2;", hex: "0102"),
  TextSample(
    name: "a comment line in a list", format: .c, text: "# list\n0x1,\n# 0x3\n0x2", hex: "0102"),

  TextSample(
    name: "xxd", format: .xxd,
    text: """
      00000000: 0808 dead beef 6265 6566 6361 6665 2031  ......beefcafe 1
      00000010: 32                                       2

      """, hex: "0808deadbeef6265656663616665203132"),
  TextSample(
    name: "xxd -c 8 -g 1", format: .xxd,
    text: """
      00000000: 08 08 de ad be ef 62 65  ......be
      00000008: 65 66 63 61 66 65 20 31  efcafe 1
      00000010: 32                       2
      """, hex: "0808deadbeef6265656663616665203132"),
  TextSample(
    name: "xxd -g 0", format: .xxd,
    text: """
      00000000: 0808deadbeef62656566636166652031  ......beefcafe 1
      00000010: 32                                2
      """, hex: "0808deadbeef6265656663616665203132"),
  TextSample(
    name: "xxd -c 5 -g 2, trailing blanks lost", format: .xxd,
    text: """
      00000000: 0808 dead be  .....
      00000005: ef62 6565 66  .beef
      0000000a: 6361 6665 20  cafe
      0000000f: 3132          12
      """, hex: "0808deadbeef6265656663616665203132"),
  TextSample(
    name: "xxd -u -s 4 -g 3", format: .xxd,
    text: "00000004: BEEF62 656566 636166 652031 32  ..beefcafe 12\n", hex: "beef6265656663616665203132"),
  TextSample(
    name: "xxd -a", format: .xxd,
    text: """
      00000000: 0000 0000 0000 0000 0000 0000 0000 0000  ................
      *
      00000040: 6162 7c63 64                             ab|cd
      """, hex: String(repeating: "00", count: 64) + "61627c6364"),
  TextSample(
    name: "xxd with collapsed spaces", format: .xxd,
    text: """
      00000000: 0808 dead beef 6265 6566 6361 6665 2031 ......beefcafe 1
      00000010: 6265 6566 6361 6665 6265 6566 6361 6665 beefcafebeefcafe
      00000020: 6261 6439 bad9
      """, hex: "0808deadbeef6265656663616665203162656566636166656265656663616665" + "62616439"),
  TextSample(
    name: "xxd without characters", format: .xxd, text: "00000000: 0808 dead\n00000004: be\n", hex: "0808deadbe"),
  TextSample(
    name: "xxd, two blocks between comments", format: .xxd,
    text: """
      # frame 1
      00000000: 0808  ..
      # frame 2
      00000000: dead  ..
      00000002: be    .
      """, hex: "0808deadbe"),

  TextSample(
    name: "hexdump -C", format: .hexdump,
    text: """
      00000000  08 08 de ad be ef 62 65  65 66 63 61 66 65 20 31  |......beefcafe 1|
      00000010  32                                                |2|
      00000011

      """, hex: "0808deadbeef6265656663616665203132"),
  TextSample(
    name: "hexdump -C of a date like IPv6", format: .hexdump,
    text: """
      00000000  63 04 93 31 4c 27 06 e4  60 b3 4a 4d 86 76 d7 47  |c..1L'..`.JM.v.G|
      00000010  e6 58 85 c1 dc 69 a2 c5  29 64 de f3 d4 5f 9b 59  |.X...i..)d..._.Y|
      00000020  1e 81 71 59 5b 1c 84 70  fa 03 11 83 44 e0 38 c4  |..qY[..p....D.8.|
      00000030

      """, hex: "630493314c2706e460b34a4d8676d747e65885c1dc69a2c52964def3d45f9b591e8171595b1c8470fa03118344e038c4"),
  TextSample(
    name: "hexdump -C with a quote", format: .hexdump,
    text: """
      00000000  f6 e5 48 e2 e9 b5 1f 55  95 f7 db 58 00 58 83 02  |..H....U...X.X..|
      00000010  89 55 fe 22 ba 11                                 |.U."..|
      00000016

      """, hex: "f6e548e2e9b51f5595f7db580058830289" + "55fe22ba11"),
  TextSample(
    name: "hexdump -C with stars and bars", format: .hexdump,
    text: """
      00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
      *
      00000040  61 62 7c 63 64                                    |ab|cd|
      00000045
      """, hex: String(repeating: "00", count: 64) + "61627c6364"),
  TextSample(
    name: "hexdump -C ending with a star", format: .hexdump,
    text: """
      00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
      *
      00000030
      """, hex: String(repeating: "00", count: 48)),
  TextSample(
    name: "hexdump -C -s 4", format: .hexdump,
    text: """
      00000004  be ef 62 65 65 66 63 61  66 65 20 31 32           |..beefcafe 12|
      00000011
      """, hex: "beef6265656663616665203132"),
  TextSample(
    name: "Wireshark's dump", format: .hexdump,
    text: """
      0000   08 08 de ad be ef 62 65 65 66 63 61 66 65 20 31   ......beefcafe 1
      0010   32                                                2
      """, hex: "0808deadbeef6265656663616665203132"),
  TextSample(
    name: "Wireshark's dump with collapsed spaces", format: .hexdump,
    text: """
      0000 62 65 65 66 20 32 32 32 32 32 32 32 32 32 32 32 beef 22222222222
      0010 61 62 ab
      """, hex: "62656566203232323232323232323232" + "6162"),
  TextSample(
    name: "Wireshark's dump without characters", format: .hexdump,
    text: """
      0000   62 65 65 66 20 32 32 32 32 32 32 32 32 32 32 32
      0010   61 62 ab
      """, hex: "62656566203232323232323232323232" + "6162ab"),
  TextSample(
    name: "Follow as hex dump", format: .hexdump,
    text: """
      \t000000A0  08 08 de ad be ef 62 65  65 66 63 61 66 65 20 31  ......be efcafe 1
      \t000000B0  32                                               2
      """, hex: "0808deadbeef6265656663616665203132"),
  TextSample(
    name: "od -A x -t x1z", format: .hexdump, text: "000000 08 08 de ad be ef  >......<\n000006\n",
    hex: "0808deadbeef"),
  TextSample(
    name: "xxd -e", format: .words, text: "00000000: adde0808     efbe  ......", hex: "0808deadbeef"),
  TextSample(
    name: "xxd -b", format: .xxd, text: "00000000: 00001000 01000001  .A\n", hex: "0841"),
  TextSample(
    name: "hexdump and od -x, an odd number of bytes", format: .words, text: "0000000 0808 adde 00be\n0000005\n",
    hex: "0808deadbe"),
  TextSample(name: "od -A x -x", format: .words, text: "000000 0808 adde efbe\n000006\n", hex: "0808deadbeef"),
  TextSample(
    name: "a prompt before and behind", format: .xxd, text: "$ xxd x\n00000000: 0808  ..\nme@host:~$ ls\n", hex: "0808"),
  TextSample(
    name: "a log before a dump", format: .xxd,
    text: "2013-11-18 10:00:00 sent 00000000: 0808 de  ...\n2013-11-18 10:00:00 sent 00000003: ad       .\n",
    hex: "0808dead"),
  TextSample(
    name: "od -c", format: .octal, text: "0000000 002  \\0   N     001  \\n\n0000006\n", hex: "02004e20010a"),
  TextSample(name: "od -c, a space at the end", format: .octal, text: "0000000 002\n0000002\n", hex: "0220"),
  TextSample(name: "od", format: .octal, text: "0000000 000002 000116\n0000003\n", hex: "02004e"),
  TextSample(name: "Go's %v", format: .decimal, text: "[2 0 0 78]", hex: "0200004e"),
  TextSample(name: "Java", format: .decimal, text: "{2, 0, -76, -128}", hex: "0200b480"),
  TextSample(
    name: "JSON's Buffer", format: .decimal, text: #"{"type":"Buffer","data":[2,0,180]}"#, hex: "0200b4"),
  TextSample(name: "a list in a log", format: .decimal, text: "Sender[42] [2, 0]\n", hex: "0200"),
  TextSample(
    name: "NSData of iOS 13", format: .nsdata, text: "{length = 6, bytes = 0x08080000 0007}", hex: "080800000007"),
  TextSample(
    name: "openssl's dump", format: .openssl,
    text: "0000 - 17 03 03 00 1e 62 65 65-66   .....beef\n0009 - 08   .\n", hex: "170303001e6265656608"),
  TextSample(name: "JSON string", format: .escapes, text: #""\u0002\u0000N""#, hex: "02004e"),

  TextSample(name: "NSData", format: .nsdata, text: "<b4bce12f 9d>", hex: "b4bce12f9d"),
  TextSample(
    name: "NSData, three groups", format: .nsdata, text: "<b4bc>\n<e1>\n\n<2F9d0011 22>", hex: "b4bce12f9d001122"),
  TextSample(
    name: "NSData in a log", format: .nsdata,
    text: "10:00 Sender[42] <Notice>: token <b4bce12f 9d34> <Debug>\n<A: 1> got <00000000 01>, done\n",
    hex: "b4bce12f9d340000000001"),
  TextSample(name: "Node's Buffer", format: .nsdata, text: "<Buffer 08 08 de>", hex: "0808de"),

  TextSample(name: "Python", format: .escapes, text: #"b'\x02\x00N\x01\' "'"#, hex: "02004e01272022"),
  TextSample(
    name: "Ruby", format: .escapes, text: #""\x02\x00N\e\a\b\t\n\v\f\r\\ \xB4""#, hex: "02004e1b0708090a0b0c0d5c20b4"),
  TextSample(name: "octal", format: .escapes, text: #""\0\1\012\3777\08""#, hex: "00010aff370038"),
  TextSample(
    name: "Wireshark's string", format: .escapes, text: "\"\\x08\\x08\" \\\n\"\\xde\" \\\n", hex: "0808de"),
  TextSample(name: "a line continued in quotes", format: .escapes, text: "'\\x08\\\r\n\\x09'", hex: "0809"),
  TextSample(
    name: "no quotes", format: .escapes, text: "  \\x02b N \n  \\x03", hex: "0262204e03"),

  TextSample(
    name: "a prompt with quotes before a string", format: .escapes,
    text: "me@host:~$ python3 -c 'print(x)'\nb'\\x08\\x08\\x00\\x00\\x00\\x07'\nme@host:~$ \n", hex: "080800000007"),

  TextSample(name: "base64", format: .base64, text: "CAje\nrb7v", hex: "0808deadbeef"),
  TextSample(name: "base64, padded", format: .base64, text: "CAjerQ==\n", hex: "0808dead", isRecognised: false),
  TextSample(
    name: "base64, URL-safe and unpadded", format: .base64, text: "-_-_CA", hex: "fbffbf08",
    isRecognised: false),
]
