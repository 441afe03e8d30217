#!/usr/bin/env python3
"""The push session that every tool here recorded: both ends of it, and its bytes.

    session.py gateway [--tls CERTIFICATE KEY] [--host H] PORT
    session.py provider [--tls] [--keys FILE] [--cipher NAME] [--host H] [--pause S] [--write N] PORT
    session.py bytes provider|gateway
    session.py dump provider|both|frames [--write N]

A provider sends 5 frames: 3 of command 2, one of command 1, one of command 0. It writes 700 bytes at a time, so that
frames straddle segments. The gateway answers with one error response for the last frame that has an identifier, and
closes. Standard library only.
"""

import argparse
import json
import socket
import ssl
import struct
import sys
import time

TOKENS = [
    bytes.fromhex("fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3"),
    bytes.fromhex("28f26a6548e1c445bc563c09d68438cc7636b683f014d30552c552870f7da484"),
    bytes.fromhex("03d7c660d601522cf757fdd5557fe772f06072d4d7887329ac8fc4a2a1964faf"),
    bytes.fromhex("d4631fa4cbdb56b758686b9d27614537e61dc6b7d6b15393cbb1db5b34fe5b1f"),
    bytes.fromhex("10293b74287553a1de65b89aab29edeb2c13abe3783ce142f6cd418498bdfed8"),
]
EXPIRY = 1385867776


def payload(alert, **more):
    return json.dumps({"aps": {"alert": alert, **more}}, separators=(",", ":"), ensure_ascii=False).encode()


def long_text(size):
    """Text without repetition, so that a lost or swapped segment shows."""
    words = []
    while len(" ".join(words)) < size:
        words.append(f"word {len(words)}")
    return " ".join(words)[:size]


def item(number, data):
    return struct.pack(">BH", number, len(data)) + data


def notification(*items):
    data = b"".join(item(number, value) for number, value in items)
    return struct.pack(">BI", 2, len(data)) + data


def number(value):
    return struct.pack(">I", value)


PROVIDER = [
    notification((1, TOKENS[0]), (2, payload("Hi")), (3, number(65537)), (4, number(EXPIRY)), (5, b"\x0a")),
    notification(
        (1, TOKENS[1]), (2, payload(long_text(2000), sound="default")), (3, number(65538)), (4, number(EXPIRY)),
        (5, b"\x0a")),
    notification(
        (3, number(65539)), (1, TOKENS[2]), (2, payload("推送 🎉", badge=3)), (4, number(0)), (5, b"\x0a")),
    struct.pack(">BIIH", 1, 65540, EXPIRY, 32) + TOKENS[3] + struct.pack(">H", len(payload("Enhanced")))
    + payload("Enhanced"),
    struct.pack(">BH", 0, 32) + TOKENS[4] + struct.pack(">H", len(payload("Legacy"))) + payload("Legacy"),
]
# Status 8, invalid token, for the frame of command 1.
GATEWAY = [bytes([8, 8]) + number(65540)]


def writes(size):
    stream = b"".join(PROVIDER)
    return [stream[start : start + size] for start in range(0, len(stream), size)]


def receive(connection, count):
    received = b""
    while len(received) < count:
        more = connection.recv(count - len(received))
        if not more:
            sys.exit("session: the other side closed too early")
        received += more
    return received


def skip_proxy_header(connection):
    """What HAProxy and nginx put before the stream where they are told to say who connected."""
    start = connection.recv(16, socket.MSG_PEEK)
    if start.startswith(b"PROXY "):
        while connection.recv(1) != b"\n":
            pass
    elif start.startswith(b"\r\n\r\n\0\r\nQUIT\n"):
        receive(connection, 16 + struct.unpack_from(">H", start, 14)[0])


def gateway(options):
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host, options.port))
        listener.listen()
        connection = listener.accept()[0]
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if options.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*options.tls)
            context.set_ciphers("ALL:@SECLEVEL=0")
            connection = context.wrap_socket(connection, server_side=True)
        else:
            skip_proxy_header(connection)
        stream = b"".join(PROVIDER)
        if receive(connection, len(stream)) != stream:
            sys.exit("session: the gateway received something else")
        connection.sendall(b"".join(GATEWAY))
        time.sleep(0.1)
        if options.tls:
            connection = connection.unwrap()
        connection.close()


def provider(options):
    connection = socket.socket()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.connect((options.host, options.port))
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        if options.keys:
            context.keylog_filename = options.keys
        if options.cipher:
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers(options.cipher + ":@SECLEVEL=0")
        connection = context.wrap_socket(connection)
    for write in writes(options.write):
        connection.sendall(write)
        time.sleep(options.pause)
    if receive(connection, 6) != b"".join(GATEWAY):
        sys.exit("session: the provider received something else")
    try:
        while connection.recv(100):
            pass
    except OSError:
        pass
    connection.close()


def dump(options):
    """Hex in the shape of `od -A x -t x1`: for text2pcap an offset of 0 starts a packet."""
    chunks = PROVIDER if options.what == "frames" else writes(options.write)
    if options.what == "both":
        chunks = [("I", chunk) for chunk in chunks] + [("O", frame) for frame in GATEWAY]
    else:
        chunks = [("", chunk) for chunk in chunks]
    for mark, chunk in chunks:
        if mark:
            print(mark)
        for start in range(0, len(chunk), 16):
            print(f"{start:06x} {chunk[start:start + 16].hex(' ')}")
        print(f"{len(chunk):06x}")


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("gateway")
    command.add_argument("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"))
    command.add_argument("--host", default="127.0.0.1")
    command.add_argument("port", type=int)
    command = commands.add_parser("provider")
    command.add_argument("--tls", action="store_true")
    command.add_argument("--keys")
    command.add_argument("--cipher")
    command.add_argument("--host", default="127.0.0.1")
    command.add_argument("--pause", type=float, default=0.03)
    command.add_argument("--write", type=int, default=700)
    command.add_argument("port", type=int)
    command = commands.add_parser("bytes")
    command.add_argument("who", choices=["provider", "gateway"])
    command = commands.add_parser("dump")
    command.add_argument("what", choices=["provider", "both", "frames"])
    command.add_argument("--write", type=int, default=700)
    options = parser.parse_args()
    if options.command == "bytes":
        sys.stdout.buffer.write(b"".join(PROVIDER if options.who == "provider" else GATEWAY))
    else:
        {"gateway": gateway, "provider": provider, "dump": dump}[options.command](options)


if __name__ == "__main__":
    main()
