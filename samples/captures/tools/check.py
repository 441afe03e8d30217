#!/usr/bin/env python3
"""Check that the samples hold what manifest.tsv says, with nothing but the standard library.

    check.py [-v] [FILE...]

Puts the payloads of each direction together and compares them with what session.py sends: plain samples must hold
those bytes exactly, as often as the manifest says; of cut ones the frames before the first hole are counted; encrypted
ones must hold TLS records only.
"""

import base64
import collections
import gzip
import os
import re
import struct
import sys

import session

ETHERNET, SLL, USER0, UPPER_PDU, SLL2 = 1, 113, 147, 252, 276
PROVIDER, GATEWAY = b"".join(session.PROVIDER), b"".join(session.GATEWAY)


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    verbose = "-v" in sys.argv
    wanted = [name for name in sys.argv[1:] if name != "-v"]
    failed, seen = 0, set()
    for line in open("manifest.tsv", encoding="utf-8").read().splitlines()[1:]:
        names, tool, kind, provider, gateway = line.split("\t")
        names = names.split(" ")
        seen.update(names)
        if wanted and not set(wanted) & set(names):
            continue
        streams = {}
        for name in names:
            (read_text if name.endswith(".txt") else read_capture)(name, streams)
        streams = [assemble(pieces) for pieces in streams.values()]
        streams = [(data, holes) for data, holes in streams if data]
        problem = judge(kind, int(provider), int(gateway), streams)
        failed += problem is not None
        if problem or verbose:
            print(f"{names[0]}: {problem or 'as it should be'}")
            for data, holes in streams:
                print(f"    {len(data)} bytes, {holes} holes, begins {data[:12].hex(' ')}")
    ours = {"README.md", "manifest.tsv", "make.sh", "session.py", "check.py", "__pycache__"}
    stray = {
        name for name in set(os.listdir(".")) - seen - ours if not name.endswith((".golden", ".keys"))
    }
    missing = seen - set(os.listdir("."))
    for name in sorted(stray | missing):
        print(f"{name}: {'not in the manifest' if name in stray else 'is missing'}")
    sys.exit(1 if failed or stray or missing else 0)


def judge(kind, provider, gateway, streams):
    if kind == "encrypted":
        if provider or gateway or any(not is_tls(data) for data, _ in streams):
            return "is not all TLS"
        return None
    counts = [count(without_proxy_header(data)) for data, _ in streams]
    found = (sum(c for c, _ in counts), sum(c for _, c in counts))
    if found != (provider, gateway):
        return f"{found[0]} and {found[1]} frames instead of {provider} and {gateway}"
    if kind == "plain":
        expected = [PROVIDER] * (provider // 5) + [GATEWAY] * gateway
        if sorted(without_proxy_header(data) for data, _ in streams) != sorted(expected):
            return "other bytes than were sent"
    return None


def is_tls(data):
    """A run of TLS records: types 20 to 23, version 3.x, to the last byte."""
    while data:
        if len(data) < 5 or data[0] not in (20, 21, 22, 23) or data[1] != 3:
            return False
        length = struct.unpack_from(">H", data, 3)[0]
        if len(data) < 5 + length:
            return False
        data = data[5 + length :]
    return True


def without_proxy_header(data):
    if data.startswith(b"PROXY "):
        return data[data.index(b"\n") + 1 :]
    if data.startswith(b"\r\n\r\n\0\r\nQUIT\n"):
        return data[16 + struct.unpack_from(">H", data, 14)[0] :]
    return data


def count(data):
    """Whole frames from the start: of the provider, of the gateway."""
    provider = gateway = 0
    while data:
        if data[0] == 8:
            size = 6
        elif data[0] == 2 and len(data) >= 5:
            size = 5 + struct.unpack_from(">I", data, 1)[0]
        elif data[0] in (0, 1):
            token = 1 if data[0] == 0 else 9
            size = token + 2 + int.from_bytes(data[token : token + 2], "big")
            size += 2 + int.from_bytes(data[size : size + 2], "big")
        else:
            break
        if len(data) < size:
            break
        provider, gateway = provider + (data[0] != 8), gateway + (data[0] == 8)
        data = data[size:]
    return provider, gateway


def assemble(pieces):
    """Pieces are (sequence number or None, bytes, bytes not captured). Ends at the first hole."""
    if pieces[0][0] is None:
        return b"".join(data for _, data, _ in pieces), 0
    first = min(((number - pieces[0][0] + 2**31) % 2**32 - 2**31, number) for number, _, _ in pieces)[1]
    stream, holes = b"", 0
    for number, data, lost in sorted(pieces, key=lambda piece: (piece[0] - first) % 2**32):
        at = (number - first) % 2**32
        if at > len(stream):
            holes += 1
            break
        if at + len(data) > len(stream):
            stream = stream[:at] + data
        if lost:
            holes += 1
            break
    return stream, holes


# Captures


def read_capture(name, streams):
    content = open(name, "rb").read()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    packets = pcapng(content) if content[:4] == b"\x0a\x0d\x0d\x0a" else pcap(content)
    for link, frame, lost, mark in packets:
        if link == USER0:
            add(streams, ("user0", mark), None, frame, lost)
        elif link == UPPER_PDU:
            upper_pdu(streams, frame, lost)
        else:
            addresses = b""
            if link == ETHERNET:
                addresses, frame = frame[:12], frame[14:]
            elif link == SLL:
                frame = frame[16:]
            elif link == SLL2:
                frame = frame[20:]
            else:
                sys.exit(f"{name}: link type {link}")
            tcp(streams, frame, lost, addresses)


def add(streams, key, number, data, lost):
    if data or lost:
        streams.setdefault(key, []).append((number, data, lost))


def tcp(streams, packet, lost, hardware):
    if packet[0] >> 4 != 4 or packet[9] != 6:
        sys.exit("not TCP over IPv4")
    header, length = packet[0] % 16 * 4, struct.unpack_from(">H", packet, 2)[0]
    source, target, number = struct.unpack_from(">HHI", packet, header)
    data = packet[header + packet[header + 12] // 16 * 4 : length]
    hardware = hardware if source == target else b""
    add(streams, (packet[12:20], source, target, hardware), number, data, lost)


def upper_pdu(streams, packet, lost):
    key, dissector = [], b""
    while True:
        tag, length = struct.unpack_from(">HH", packet)
        value, packet = packet[4 : 4 + length], packet[4 + length :]
        if tag == 0:
            break
        if tag in (20, 21, 22, 23, 25, 26):
            key.append(value)
        if tag == 12:
            dissector = value.rstrip(b"\0")
    key = tuple(key)
    if dissector == b"http-over-tls" and key in streams and packet.startswith(streams[key][-1][1]):
        # While this dissector waits for the end of something, it puts together again what was exported already.
        streams[key].pop()
    add(streams, key, None, packet, lost)


def pcap(content):
    order = "<" if content[0] in (0xD4, 0x4D) else ">"
    link = struct.unpack_from(order + "I", content, 20)[0] & 0xFFFF
    offset = 24
    while offset < len(content):
        _, _, captured, original = struct.unpack_from(order + "IIII", content, offset)
        offset += 16
        yield link, content[offset : offset + captured], original - captured, None
        offset += captured


def pcapng(content):
    links, offset = [], 0
    while offset < len(content):
        kind, size = struct.unpack_from("<II", content, offset)
        body = content[offset + 8 : offset + size - 4]
        offset += size
        if kind == 0x0A0D0D0A:
            links = []
        elif kind == 1:
            links.append(struct.unpack_from("<H", body)[0])
        elif kind == 6:
            interface, _, _, captured, original = struct.unpack_from("<IIIII", body)
            data, options, mark = body[20 : 20 + captured], body[20 + (captured + 3) // 4 * 4 :], None
            while len(options) >= 4:
                code, length = struct.unpack_from("<HH", options)
                if code == 2:
                    mark = struct.unpack_from("<I", options, 4)[0] & 3
                options = options[4 + (length + 3) // 4 * 4 :] if code else b""
            yield links[interface], data, original - captured, mark


# Text


def read_text(name, streams):
    text = open(name, encoding="utf-8").read()
    sides = collections.defaultdict(bytes)
    if name.startswith("ssldump"):
        # A record of ASCII alone stands there as it is, and the dashes follow without a new line.
        rule = "-" * 63 + "\n"
        for side, dump in re.findall(rf"  (C|S)>[CS]  application_data\n    {rule}    (.*?){rule}", text, re.S):
            if re.match("([0-9a-f]{2} )+ ", dump):
                sides[side] += b"".join(bytes.fromhex(line[:48]) for line in dump.rstrip().split("\n    "))
            else:
                sides[side] += dump.encode()
    elif name.endswith("-yaml.txt"):
        for peer, data in re.findall(r"peer: (\d)\n    timestamp: .*\n    data: !!binary \|\n((?:      .*\n)+)", text):
            sides[peer] += base64.b64decode(data)
    else:
        for line in re.sub(r"(?s).*Node 1: .*?\n", "", text).split("\n"):
            if "-hex" in name:
                found = re.match(r"(\t?)[0-9A-F]{8}  ([0-9a-f ]{48})", line)
            else:
                found = re.match(r"(\t?)([0-9a-f]+)$", line)
            if found:
                sides[found[1]] += bytes.fromhex(found[2])
    for side, data in sides.items():
        add(streams, (name, side), None, data, 0)


main()
