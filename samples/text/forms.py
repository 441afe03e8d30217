"""One frame as programs, logs and tables write it; `make.py` writes a file for each."""

import base64
import json
import textwrap
import urllib.parse


def forms(frame):
    hexed, encoded = frame.hex(), base64.b64encode(frame).decode()
    prefixed = [f"0x{b:02x}" for b in frame]
    decimal = [str(b) for b in frame]
    signed = [str(b - 256 if b > 127 else b) for b in frame]
    start, end = frame.index(b"{"), frame.rindex(b"}") + 1

    def lines(values, width, lead, separator):
        return "\n".join(lead + separator.join(values[i:i + width]) for i in range(0, len(values), width))

    def dump(line, width=16):
        rows = [(i, frame[i:i + width]) for i in range(0, len(frame), width)]
        shown = ["".join(chr(b) if 32 <= b < 127 else "." for b in row) for _, row in rows]
        return "\n".join(line(i, row) + "  " + text for (i, row), text in zip(rows, shown))

    return {name + ".txt": text.rstrip("\n") + "\n" for name, text in {
        # Lists of numbers.
        "list-java-casts": "byte[] frame = {\n" + lines(
            [f"(byte)0x{b:02X}" if b > 127 else "0" if b == 0 else f"0x{b:02X}" for b in frame], 8, "  ", ", ") + "\n};",
        "list-java-signed": "byte[] frame = {" + ", ".join(signed) + "};",
        "list-kotlin": "val frame = byteArrayOf(" + ", ".join(
            f"0x{b:02X}.toByte()" if b > 127 else f"0x{b:02X}" for b in frame) + ")",
        "list-kotlin-binary": "byteArrayOf(" + ", ".join(f"0b{b:08b}.toByte()" for b in frame) + ")",
        "list-scala": "Array(" + ", ".join(signed) + ")",
        "list-swift": "let frame: [UInt8] = [" + ", ".join(prefixed) + "]",
        "list-swift-data": "let frame = Data([" + ", ".join(decimal) + "])",
        "list-rust": f"let frame: [u8; {len(frame)}] = [" + ", ".join(f"{b}u8" for b in frame) + "];",
        "list-rust-as": "vec![" + ", ".join(f"0x{b:x} as u8" for b in frame) + "]",
        "list-go": "frame := []byte{\n" + lines(prefixed, 12, "\t", ", ") + ",\n}",
        "list-csharp": f"var frame = new byte[{len(frame)}] {{ // 83 bytes\n" + lines(prefixed, 8, "    ", ", ") + "\n};",
        "list-fsharp": "let frame = [| " + "; ".join(f"0x{b:02x}uy" for b in frame) + " |]",
        "list-basic": "Dim frame() As Byte = {" + ", ".join(f"&H{b:02X}" for b in frame) + "}",
        "list-cpp-byte": f"std::array<std::byte, {len(frame)}> frame{{" + ", ".join(f"std::byte{{{p}}}" for p in prefixed) + "};",
        "list-javascript": "const frame = Uint8Array.from([" + ", ".join(prefixed) + "]);",
        "list-javascript-object": json.dumps({str(i): b for i, b in enumerate(frame)}),
        "list-python-array": "array('B', [" + ", ".join(decimal) + "])",
        "list-python-octal": "frame = bytes((" + ", ".join(f"0o{b:o}" for b in frame) + "))",
        "list-php-array": "$frame = array(" + ", ".join(decimal) + ");",
        "list-php-pack": "$frame = pack('C*', " + ", ".join(decimal) + ");",
        "list-php-print": "Array\n(\n" + "".join(f"    [{i}] => {b}\n" for i, b in enumerate(frame)) + ")",
        "list-ruby-pack": "frame = [" + ", ".join(prefixed) + "].pack('C*')",
        "list-lua": "frame = string.char(" + ", ".join(decimal) + ")",
        "list-r": "frame <- as.raw(c(" + ", ".join(prefixed) + "))",
        "list-julia": "frame = UInt8[" + ", ".join(prefixed) + "]",
        "list-nim": "let frame = [" + ", ".join(f"{b}'u8" for b in frame) + "]",
        "list-ada": "Frame : Bytes := (" + ", ".join(f"16#{b:02X}#" for b in frame) + ");",
        "list-pascal": "const Frame: array[0..82] of Byte = (" + ", ".join(f"${b:02X}" for b in frame) + ");",
        "list-clojure": "(byte-array [" + " ".join(prefixed) + "])",
        "list-erlang-sizes": "<<" + ",".join(f"16#{b:02X}:8" for b in frame) + ">>",
        "list-erlang-string": "<<" + ",".join(decimal[:start]) + ',"' + frame[start:end].decode().replace('"', '\\"') + '",'
        + ",".join(decimal[end:]) + ">>",
        "list-powershell": "[byte[]] $frame = " + ",".join(prefixed),
        "list-masm": "frame db " + ", ".join(f"0{b:02x}h" for b in frame[:40]) + "\n      db "
        + ", ".join(f"0{b:02x}h" for b in frame[40:]),
        "list-nasm": lines(prefixed, 8, "  db ", ", ").replace("\n", " ; a row\n"),
        "list-gas": lines(prefixed, 8, "\t.byte ", ", "),
        "list-6502": lines([f"${b:02x}" for b in frame], 8, "  .byte ", ","),
        "list-bare": " ".join(decimal),
        "list-bare-signed": ", ".join(signed),
        "list-bare-lines": "\n".join(prefixed),
        "list-in-call": "send(3, 5, [" + ", ".join(decimal) + "]);",
        "list-with-calls": "memset(buffer, 0, 83);\nuint8_t frame[] = {" + ", ".join(prefixed) + "};\nsend(fd, frame, 83, 0);",
        "list-leading-zeros": "{0x08, 010, 0x00}",
        # Digits inside other text.
        "log-syslog": "\n".join(f"Nov 21 10:00:0{i // 32} host apnsd[123]: out {frame[i:i + 32].hex()}" for i in range(0, 83, 32)),
        "log-syslog-5424": f"<34>1 2013-11-19T10:00:00.003Z host apnsd 123 ID47 - out {hexed}",
        "log-spaced": "\n".join(
            f"2013-11-19 10:00:0{i // 16},123 DEBUG PushSender - out {frame[i:i + 16].hex(' ')}" for i in range(0, 83, 16)),
        "log-key-value": f'time="2013-11-19T10:00:00Z" level=debug msg="sending frame" id=102 bytes={hexed}',
        "log-json": json.dumps({"ts": "2013-11-19T10:00:00Z", "level": "debug", "frame": hexed}),
        "log-json-base64": json.dumps({"ts": "2013-11-19T10:00:00Z", "frame_base64": encoded}),
        "log-two-runs": f"trace={frame[10:26].hex()} bytes={hexed}",
        "table-csv": f"id,frame\n1024,{hexed}",
        "table-tsv": f"102\t{hexed}",
        "table-mysql": f"+-----+-------+\n| id  | frame |\n+-----+-------+\n| 102 | 0x{hexed.upper()} |\n+-----+-------+\n1 row in set",
        "sql-number": f"INSERT INTO frames VALUES (102, 0x{hexed.upper()});",
        "sql-unhex": f"SELECT UNHEX('{hexed}');",
        "php-dump": f'string({len(hexed)}) "{hexed}"',
        "python-hexlify": f"b'{hexed}'",
        "ruby-pack-hex": f'frame = ["{hexed}"].pack("H*")',
        "rust-hex": f'let frame = hex!("{hexed}");',
        "shell-pipe": f"echo {hexed} | xxd -r -p | nc localhost 2195",
        "base64-call": f"const frame = Buffer.from('{encoded}', 'base64');",
        "base64-url": f"data:application/octet-stream;base64,{encoded}",
        "base64-armor": "-----BEGIN FRAME-----\n" + "\n".join(textwrap.wrap(encoded, 64)) + "\n-----END FRAME-----",
        "fence": "Here is the frame:\n\n```\n" + frame.hex(" ") + "\n```\n\nAny idea?",
        "fence-program": f'We send this:\n\n```python\nframe = bytes.fromhex("{hexed}")\n```\n\nWhy is it refused?',
        # Dumps of other tools.
        "xxd-p-odd": "\n".join(textwrap.wrap(hexed, 61)),
        "windbg": dump(lambda i, row: f"00000000`{0x12340 + i:08x}  " + "-".join(
            part.hex(" ") for part in (row[:8], row[8:]) if part).ljust(47)),
        "powershell-dump": " " * 11 + bytes(range(16)).hex(" ").upper() + "\n\n"
        + dump(lambda i, row: f"{i:08X}   " + row.hex(" ").upper().ljust(47)),
        "hxd": "Offset(h) " + bytes(range(16)).hex(" ").upper() + "\n\n"
        + dump(lambda i, row: f"{i:08X}  " + row.hex(" ").upper().ljust(47)),
        "python-hexdump": dump(lambda i, row: f"{i:08X}: " + "  ".join(
            part.hex(" ").upper() for part in (row[:8], row[8:]) if part).ljust(48)),
        "radare2": "[0x00000000]> px 83\n- offset -   0 1  2 3  4 5  6 7  8 9  A B  C D  E F  0123456789ABCDEF\n"
        + dump(lambda i, row: f"0x{i:08x}  " + row.hex(" ", -2).ljust(39)),
        "list-scheme": "#u8(" + " ".join(decimal) + ")",
        "list-perl-pack": "my $frame = pack 'C*', " + ", ".join(decimal) + ";",
        # Pairs of digits.
        "pairs-rust-debug": "[" + ", ".join(f"{b:02x}" for b in frame) + "]",
        "pairs-strings": json.dumps([f"{b:02x}" for b in frame]),
        "pairs-strings-0x": "['" + "', '".join(prefixed) + "']",
        "pairs-dots": frame.hex("."),
        "pairs-slashes": frame.hex("/"),
        "pairs-underscores": frame.hex("_"),
        # Escapes.
        "percent": "curl 'http://localhost/push?frame=" + urllib.parse.quote_from_bytes(frame) + "&x=1'",
        "escapes-braces": '"' + "".join(
            chr(b) if 32 <= b < 127 and chr(b) not in '"\\$@' else f"\\x{{{b:x}}}" for b in frame) + '"',
        "escapes-ocaml": '"' + "".join(
            chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:03}" for b in frame) + '"',
        "pretty-hex": f"Length: {len(frame)} (0x{len(frame):x}) bytes\n" + dump(
            lambda i, row: f"{i:04x}:   " + "  ".join(row[k:k + 4].hex(" ") for k in range(0, len(row), 4)).ljust(53)),
    }.items()}


#: What is refused, and why.
REFUSED = {
    "list-leading-zeros.txt": "ambiguous-text",
}
