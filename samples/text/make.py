#!/usr/bin/env python3
"""Make the texts of this folder again, each with the tool that people paste from.

Needs xxd, hexdump, od, openssl, node, Java, strace and socat, and root for tcpdump and tshark; a form whose tool is missing keeps its
file. Times, ports, pointers and keys differ from run to run; what is said does not. Forms that no tool here prints
are in `BY_HAND` and `forms.py`.
"""

import base64
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time

from forms import forms

HERE = pathlib.Path(__file__).parent
FRAME = bytes.fromhex(
    "020000004e010020fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa30200167b22617073223a7b22616c657274"
    "223a224869227d7d03000400000007040004528aaa000500010a")
ERROR = bytes.fromhex("080800000007")
# Bytes whose characters are hex digits themselves.
GUTTER = bytes.fromhex("0808deadbeef") + b"beefcafe 12"
ZEROS = bytes(48) + b"ab|cd"

COMMANDS = {
    "xxd.txt": "xxd n.bin", "xxd-c8-g1.txt": "xxd -c 8 -g 1 n.bin", "xxd-g0.txt": "xxd -g 0 n.bin",
    "xxd-g4-u.txt": "xxd -g 4 -u n.bin", "xxd-d.txt": "xxd -d n.bin", "xxd-b.txt": "xxd -b n.bin",
    "xxd-e.txt": "xxd -e n.bin", "xxd-e-g2.txt": "xxd -e -g 2 n.bin", "xxd-e-short.txt": "xxd -e e.bin",
    "xxd-g4-short.txt": "xxd -g 4 e.bin", "xxd-a.txt": "xxd -a z.bin", "xxd-gutter.txt": "xxd g.bin",
    "xxd-p.txt": "xxd -p n.bin", "xxd-i.txt": "xxd -i n.bin", "xxd-i-pipe.txt": "xxd -i < n.bin",
    "xxd-e-ambiguous.txt": "head -c 4 e.bin | xxd -e",
    "hexdump-canonical.txt": "hexdump -C n.bin", "hexdump-canonical-stars.txt": "hexdump -C z.bin",
    "hexdump-canonical-gutter.txt": "hexdump -C g.bin", "hexdump.txt": "hexdump n.bin", "hexdump-x.txt": "hexdump -x n.bin",
    "hexdump-b.txt": "hexdump -b n.bin", "hexdump-c.txt": "hexdump -c n.bin", "od.txt": "od n.bin",
    "od-x.txt": "od -x n.bin", "od-Ax-x.txt": "od -A x -x n.bin", "od-x4.txt": "od -A x -t x4 n.bin",
    "od-c.txt": "od -c n.bin", "od-b.txt": "od -b n.bin", "od-u1.txt": "od -t u1 n.bin",
    "od-Ax-x1z.txt": "od -A x -t x1z n.bin", "od-Ad-x1.txt": "od -A d -t x1 n.bin",
    "od-Ao-x1.txt": "od -A o -t x1 n.bin", "od-An-x1.txt": "od -A n -t x1 n.bin",
    "base64.txt": "base64 n.bin", "base64-openssl.txt": "openssl base64 -in n.bin",
    "node-buffer-cut.txt": f"node -p 'require(\"fs\").readFileSync(\"n.bin\")'",
    "node-buffer.txt": f"node -p 'require(\"util\").inspect.defaultOptions.maxArrayLength = null; "
    "require(\"buffer\").INSPECT_MAX_BYTES = 200; require(\"fs\").readFileSync(\"n.bin\")'",
    "node-json.txt": "node -p 'JSON.stringify(require(\"fs\").readFileSync(\"n.bin\"))'",
    "node-uint8array.txt": "node -p 'new Uint8Array(require(\"fs\").readFileSync(\"n.bin\"))'",
    "python-repr.txt": "python3 -c 'print(open(\"n.bin\",\"rb\").read())'",
    "python-pprint.txt": "python3 -c 'import pprint; pprint.pprint(open(\"n.bin\",\"rb\").read())'",
    "python-hex.txt": "python3 -c 'print(open(\"n.bin\",\"rb\").read().hex(\":\"))'",
    "python-list.txt": "python3 -c 'print(list(open(\"n.bin\",\"rb\").read()))'",
    "perl-escapes.txt": "perl -0777 -ne 's/(.)/sprintf q(\\x%02x),ord $1/ges; print qq(\"$_\"\\n)' n.bin",
    "java.txt": "java Print.java",
    "base64-bare.txt": "base64 -w 0 n.bin | tr -d =", "cat-n.txt": "xxd n.bin | cat -n",
    "grep-n.txt": "xxd -p n.bin | grep -n .",
    "strace.txt": "strace -s 65535 -e trace=write cat n.bin 2>&1 > /dev/null",
    "strace-xx.txt": "strace -xx -s 65535 -e trace=write cat n.bin 2>&1 > /dev/null",
    "strace-cut.txt": "strace -e trace=write cat n.bin 2>&1 > /dev/null",
    "socat-x.txt": "socat -x - SYSTEM:'cat > /dev/null; cat e.bin' < n.bin 2>&1 > /dev/null",
    "socat-xv.txt": "socat -x -v - SYSTEM:'cat > /dev/null; cat e.bin' < n.bin 2>&1 > /dev/null",
}

CAPTURE = {
    "tcpdump-x.txt": "tcpdump -Z root -n -x -r {plain}", "tcpdump-x-chars.txt": "tcpdump -Z root -n -X -r {plain}",
    "tcpdump-v.txt": "tcpdump -Z root -n -v -X -r {plain}",
    "tcpdump-xx.txt": "tcpdump -Z root -n -xx -r {plain}", "tcpdump-xx-chars.txt": "tcpdump -Z root -n -t -XX -r {plain}",
    "tcpdump-A.txt": "tcpdump -Z root -n -A -r {plain}", "tshark-x.txt": "tshark -x -r {plain}",
    "tshark-x-tls.txt": "tshark -o tls.keylog_file:{keys} -x -Y tls.app_data -r {tls}",
    "tshark-x-tls-all.txt": "tshark -o tls.keylog_file:{keys} -x -r {tls}",
    "follow-hex.txt": "tshark -q -z follow,tcp,hex,0 -r {plain}",
    "follow-raw.txt": "tshark -q -z follow,tcp,raw,0 -r {plain}",
    "follow-yaml.txt": "tshark -q -z follow,tcp,yaml,0 -r {plain}",
    "follow-ascii.txt": "tshark -q -z follow,tcp,ascii,0 -r {plain}",
    "follow-tls-hex.txt": "tshark -o tls.keylog_file:{keys} -q -z follow,tls,hex,0 -r {tls}",
    "follow-tls-yaml.txt": "tshark -o tls.keylog_file:{keys} -q -z follow,tls,yaml,0 -r {tls}",
}

JAVA = """import java.nio.file.*; import java.util.*;
class Print { public static void main(String[] a) throws Exception {
System.out.println(Arrays.toString(Files.readAllBytes(Path.of("n.bin"))).replace('[', '{').replace(']', '}')); } }
"""


def rows(data, width=16):
    return [data[i:i + width] for i in range(0, len(data), width)]


def shown(data):
    return "".join(chr(b) if 32 <= b < 127 else "." for b in data)


def dump(data, style="{offset:04x}   {digits:<47}   {shown}"):
    """Wireshark's printer (ui/qt/utils/data_printer.cpp)."""
    return "\n".join(style.format(offset=16 * i, digits=row.hex(" "), shown=shown(row)).rstrip()
                     for i, row in enumerate(rows(data))) + "\n"


def ruby(data):
    names = {0x22: '\\"', 0x5c: "\\\\", 10: "\\n", 13: "\\r", 9: "\\t", 12: "\\f", 11: "\\v", 8: "\\b", 7: "\\a", 27: "\\e"}
    return '"' + "".join(names.get(b) or (chr(b) if 32 <= b < 127 else f"\\x{b:02X}") for b in data) + '"\n'


def go(data):
    names = {0x22: '\\"', 0x5c: "\\\\", 10: "\\n", 13: "\\r", 9: "\\t", 12: "\\f", 11: "\\v", 8: "\\b", 7: "\\a"}
    return '"' + "".join(names.get(b) or (chr(b) if 32 <= b < 127 else f"\\x{b:02x}") for b in data) + '"\n'


def postgres(data):
    """A value of Postgres with bytea_output = 'escape'."""
    return "".join(chr(b) if 32 <= b < 127 else f"\\{b:03o}" for b in data)


def groups(data):
    return " ".join(row.hex() for row in rows(data, 4))


def peers():
    def array(name, packet, data):
        lines = [", ".join(f"0x{b:02x}" for b in row) for row in rows(data, 8)]
        return f"char {name}[] = {{ /* Packet {packet} */\n" + ", \n".join(lines) + " };\n"
    return array("peer0_0", 4, FRAME) + array("peer1_0", 6, ERROR)


def netty(word, data):
    """io.netty.buffer.ByteBufUtil.prettyHexDump, below a line of LoggingHandler."""
    rule = "+" + "-" * 8 + "+" + "-" * 49 + "+" + "-" * 16 + "+\n"
    lines = [f"|{16 * i:08x}| {row.hex(' '):<47} |{shown(row):<16}|\n" for i, row in enumerate(rows(data))]
    return (f"2013-11-19 00:00:01.250 DEBUG LoggingHandler - [id: 0x1f2e, L:/10.0.0.1:40000 - R:/17.0.0.1:2195] {word}: "
            f"{len(data)}B\n{'':9}+{'-' * 49}+\n{'':9}|  0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f |\n{rule}"
            + "".join(lines) + rule)


def gdb(data, width=8):
    return "(gdb) x/83xb frame\n" + "".join(
        f"0x{0x4020 + width * i:x} <frame{f'+{width * i}' if i else ''}>:\t" + "\t".join(f"0x{b:02x}" for b in row) + "\n"
        for i, row in enumerate(rows(data, width)))


def escaped(data):
    return "".join(f"\\x{b:02x}" for b in data)


def nc(sign, data):
    """netcat 1.10 with -o."""
    return "".join(f"{sign} {16 * i:08x} {row.hex(' '):<47} # {shown(row)}\n" for i, row in enumerate(rows(data)))


BY_HAND = {
    "bits.txt": "".join(" ".join(f"{byte:08b}" for byte in row) + "\n" for row in rows(FRAME, 8)),
    "bits-prefixed.txt": "".join(", ".join(f"0b{byte >> 4:04b}_{byte & 15:04b}" for byte in row) + "\n" for row in rows(FRAME, 6)),
    "bits-ambiguous.txt": "".join(f"{byte:08b}" for byte in FRAME[:6]) + "\n",
    "postgres.txt": f" id |  frame\n----+{'-' * 170}\n  1 | \\x{FRAME.hex()}\n(1 row)\n",
    "postgres-literal.txt": f"SELECT '\\x{FRAME.hex()}'::bytea;\n", "postgres-ambiguous.txt": "\\x0808\n",
    "postgres-rule.txt": f" serial |  frame\n--------+{'-' * 170}\n     17 | \\x{FRAME.hex()}\n(1 row)\n",
    "postgres-escape.txt": f" frame\n-------\n {postgres(FRAME[4:])}\n(1 row)\n",
    "base64-blank.txt": base64.b64encode(FRAME[:48]).decode() + " " + base64.b64encode(FRAME[48:]).decode() + "\n",
    "erlang-quoted.txt": "> <<" + ",\n>   ".join(",".join(map(str, row)) for row in rows(FRAME, 20)) + ">>\n",
    "cat-n-list.txt": "     1\t[" + ", ".join(f"0x{b:x}" for b in FRAME) + "]\n",
    "list-characters.txt": "".join(
        f"  {', '.join(f'0x{b:02x}' for b in row)},  /* {16 * i:04x}: {shown(row)} */\n" for i, row in enumerate(rows(FRAME))),
    "table-characters.txt": "".join(
        f"| {8 * i:04x} | {row.hex(' ')} | {shown(row)} |\n" for i, row in enumerate(rows(FRAME, 8))),
    "sql-x.txt": f"INSERT INTO frames (id, frame) VALUES (1, X'{FRAME.hex().upper()}');\n",
    "python-fromhex.txt": f"frame = bytes.fromhex('{FRAME.hex(' ')}')\n",
    "node-from-hex.txt": f"const frame = Buffer.from('{FRAME.hex()}', 'hex');\n",
    "erlang.txt": "1> Frame.\n<<" + ",\n  ".join(",".join(map(str, row)) for row in rows(FRAME, 20)) + ">>\n",
    "erlang-cut.txt": "<<" + ",".join(map(str, FRAME[:20])) + ",...>>\n",
    "elixir-hex.txt": "<<" + ", ".join(f"0x{b:X}" for b in FRAME) + ">>\n",
    "gdb.txt": gdb(FRAME), "gdb-words.txt": "0x4020 <frame>:\t0x00000002\t0x2000014e\n",
    "netty.txt": netty("WRITE", FRAME) + netty("READ", ERROR),
    "nc-o.txt": nc(">", FRAME) + nc("<", ERROR),
    "strace-threads.txt": "socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3\n"
    "connect(3, {sa_family=AF_INET, sin_port=htons(2195), sin_addr=inet_addr(\"17.0.0.1\")}, 16) = 0\n"
    f"[pid    12] write(3, \"{escaped(FRAME[:40])}\", 40 <unfinished ...>\n"
    "[pid    13] read(3,  <unfinished ...>\n"
    "[pid    12] <... write resumed>) = 40\n"
    f"[pid    12] write(3, \"{escaped(FRAME[40:])}\", 43) = -1 EAGAIN (Resource temporarily unavailable)\n"
    f"[pid    12] sendto(3<TCP:[10.0.0.1:40000->17.0.0.1:2195]>, \"{escaped(FRAME[40:])}\", 43, 0, NULL, 0) = 43 <0.000010>\n"
    f"[pid    13] <... read resumed>\"{escaped(ERROR)}\", 4096) = 6\n"
    "[pid    13] read(3, \"\", 4096)             = 0\n",
    "times.txt": "".join(f"2013-11-19 00:00:0{i},250 {row.hex()}\n" for i, row in enumerate(rows(FRAME))),
    "times-of-day.txt": "".join(f"[12:00:0{i}] {row.hex(' ')}\n" for i, row in enumerate(rows(FRAME))),
    "times-ambiguous.txt": "12:00:01 02:00:00:00:4e\n",
    "log-line.txt": f"2013-11-19 00:00:01 INFO sent {FRAME.hex()}\n",
    "no-break-spaces.txt": FRAME.hex(" ").replace(" ", "\u00a0") + "\u200b\n",
    "smart-quotes.txt": f"frame = \u201c{escaped(FRAME)}\u201d\n",
    "umlaut.txt": f"# f\u00fcr das Ger\u00e4t\n{FRAME.hex()}\n",
    "long-dash.txt": f"{FRAME[:10].hex()}\u2014{FRAME[10:].hex()}\n",
    "wireshark-hex-ascii.txt": dump(FRAME), "wireshark-hex.txt": dump(FRAME, "{offset:04x}   {digits}"),
    "wireshark-hex-stream.txt": FRAME.hex() + "\n",
    "wireshark-escaped.txt": " \\\n".join('"' + "".join(f"\\x{b:02x}" for b in row) + '"' for row in rows(FRAME)) + "\n",
    "wireshark-c-array.txt": "unsigned char bytes[] = {" + ", ".join(f"0x{b:x}" for b in FRAME) + "};\n",
    "wireshark-go.txt": "[]byte{" + ", ".join(f"0x{b:x}" for b in FRAME) + "}\n",
    "wireshark-c-string.txt": go(FRAME),
    "wireshark-printable.txt": "".join(chr(b) for b in FRAME if 32 <= b < 127) + "\n",
    "follow-c-arrays.txt": peers(),
    "text2pcap-directions.txt": "O 2026-11-21T05:01:30Z\n" + dump(FRAME, "{offset:06x} {digits}") + "I 2026-11-21T05:01:31Z\n"
    + dump(ERROR, "{offset:06x} {digits}"),
    "openssl-old.txt": "write to 0x8f1 [0x8f2] (6 bytes => 6 (0x6))\n0000 - 08 08                                             ..\n"
    "0006 - <SPACES/NULS>\n",
    "nsdata.txt": f"<{groups(FRAME)}>\n", "nsdata-ios13.txt": f"{{length = 6, bytes = 0x{groups(ERROR).replace(' ', '')}}}\n",
    "nsdata-ios13-cut.txt": f"{{length = 83, bytes = 0x{groups(FRAME[:16])} ... {groups(FRAME[-8:])} }}\n",
    "nsdata-log.txt": f"2013-11-18 10:00:00.000 Sender[42:907] <Notice>: frame <{groups(FRAME)}>\n",
    "swift-data.txt": "83 bytes\n", "swift-array.txt": str(list(FRAME)) + "\n",
    "ruby-inspect.txt": ruby(FRAME), "ruby-irb.txt": "irb(main):001:0> frame\n=> " + ruby(FRAME),
    "go-q.txt": go(FRAME), "go-x.txt": FRAME.hex() + "\n", "go-v.txt": "[" + " ".join(map(str, FRAME)) + "]\n",
    "javascript.txt": "const frame = new Uint8Array([" + ",".join(map(str, FRAME)) + "]);\n",
    "hex-in-brackets.txt": "[02 00 00 00 01]\n",
    "hex-and-base64.txt": "fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3\n",
    "words-without-offsets.txt": "0808 0000 0007\n",
    "words-or-bytes.txt": "00000000 0002 0000 014e 2000 13fc ffad 5178 b422\n00000010 28ad 809a\n",
    "marks.txt": "".join(f"> {row.hex(' ')}\n" for row in rows(FRAME)) + f"< {ERROR.hex(' ')}\n",
    "arrows.txt": f"--> {FRAME.hex()}\n<-- {ERROR.hex()}\n",
    "chat.txt": "> someone wrote:\n> ```\n> $ xxd n.bin\n{}> ```\n",
    "hexyl.txt": "\u250c" + "\u2500" * 8 + "\u252c" + "\u2500" * 25 + "\u2510\n\u250200000000\u2502 08 08 00 00 00 07",
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # tcpdump reads and writes as a user of its own
        os.chdir(folder)
        for name, data in {"n.bin": FRAME, "e.bin": ERROR, "g.bin": GUTTER, "z.bin": ZEROS}.items():
            pathlib.Path(name).write_bytes(data)
        pathlib.Path("Print.java").write_text(JAVA)
        for name, line in COMMANDS.items():
            run(line, name)
        quoted = "".join(f"> {line}\n" for line in (HERE / "xxd.txt").read_text().splitlines())
        for name, text in (BY_HAND | forms(FRAME)).items():
            (HERE / name).write_text(text.replace("{}", quoted) if name == "chat.txt" else text)
        (HERE / "utf-16.txt").write_bytes((HERE / "xxd.txt").read_text().replace("\n", "\r\n").encode("utf-16"))
        (HERE / "latin-1.txt").write_bytes(BY_HAND["umlaut.txt"].encode("latin-1"))
        subprocess.run("openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 3650 -subj /CN=localhost"
                       " 2>/dev/null", shell=True, check=True)
        openssl()
        record("plain.pcap", False)
        record("tls.pcap", True)
        for name, line in CAPTURE.items():
            run(line.format(plain="plain.pcap", tls="tls.pcap", keys="keys.log"), name)


def run(line, name):
    if shutil.which(line.split()[0]) is None:
        return print("not here:", line)
    result = subprocess.run(["bash", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    (HERE / name).write_bytes(result.stdout)


def openssl():
    """Two sessions of s_client, one with -debug and -msg, one with -msg alone."""
    for name, flags in {"openssl-debug.txt": "-debug", "openssl-debug-msg.txt": "-debug -msg",
                        "openssl-msg.txt": "-msg"}.items():
        port = 24400 + len(name)
        server = subprocess.Popen(f"exec openssl s_server -accept {port} -cert c.pem -key k.pem -quiet -naccept 1 -tls1_2",
                                  shell=True, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        run(f"openssl s_client -connect 127.0.0.1:{port} -tls1_2 -nocommands {flags} < <(cat n.bin; sleep 1)", name)
        server.kill()


def record(name, is_tls):
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    tcpdump = subprocess.Popen(
        ["tcpdump", "-Z", "root", "-i", "lo", "--immediate-mode", "-U", "-w", name, f"tcp port {port}"],
        stderr=subprocess.PIPE)
    while b"listening on" not in tcpdump.stderr.readline():
        pass
    thread = threading.Thread(target=answer, args=(listener, is_tls))
    thread.start()
    connection = socket.create_connection(("127.0.0.1", port))
    if is_tls:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.keylog_filename, context.maximum_version = "keys.log", ssl.TLSVersion.TLSv1_2
        connection = context.wrap_socket(connection)
    connection.sendall(FRAME)
    receive(connection, len(ERROR))
    connection.close()
    thread.join()
    time.sleep(0.5)
    tcpdump.terminate()
    tcpdump.wait()
    os.chmod(name, 0o644)


def answer(listener, is_tls):
    connection, _ = listener.accept()
    if is_tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("c.pem", "k.pem")
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        connection = context.wrap_socket(connection, server_side=True)
    receive(connection, len(FRAME))
    connection.sendall(ERROR)
    time.sleep(0.05)
    connection.close()


def receive(connection, count):
    while count > 0:
        data = connection.recv(count)
        if not data:
            return
        count -= len(data)


if __name__ == "__main__":
    main()
