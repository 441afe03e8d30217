#!/usr/bin/env python3
"""Writes frames/ and malformed/ from nothing but the struct module: an encoder that shares no code with apnscope."""
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
TOKEN = bytes.fromhex("fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3")
EXPIRY = 1384819200  # 2013-11-19 00:00:00 UTC
HELLO = '{"aps":{"alert":"Hi"}}'.encode()
APPLE = '{"aps":{"alert":{"loc-key":"GAME_PLAY_REQUEST_FORMAT","loc-args":["Jenna","Frank"]},"sound":"chime"},"acme":"foo"}'.encode()


def legacy(token, payload, token_length=None, payload_length=None):
    head = struct.pack(">BH", 0, len(token) if token_length is None else token_length)
    return head + token + struct.pack(">H", len(payload) if payload_length is None else payload_length) + payload


def enhanced(identifier, expiry, token, payload, token_length=None, payload_length=None):
    head = struct.pack(">BIIH", 1, identifier, expiry, len(token) if token_length is None else token_length)
    return head + token + struct.pack(">H", len(payload) if payload_length is None else payload_length) + payload


def item(number, data, length=None):
    return struct.pack(">BH", number, len(data) if length is None else length) + data


def notification(*items, length=None):
    data = b"".join(items)
    return struct.pack(">BI", 2, len(data) if length is None else length) + data


def all_items(payload=HELLO, priority=b"\x0a"):
    return [item(1, TOKEN), item(2, payload), item(3, struct.pack(">I", 7)), item(4, struct.pack(">I", EXPIRY)),
            item(5, priority)]


def feedback(time, token):
    return struct.pack(">IH", time, len(token)) + token


RUSSIAN = '{"aps":{"alert":"Привет"}}'
WHOLE = enhanced(8, EXPIRY, TOKEN, HELLO)

SAMPLES = {
    "frames/legacy-notification": ("Command 0.", legacy(TOKEN, HELLO)),
    "frames/enhanced-notification": ("Command 1, identifier 1234 in network order.", enhanced(1234, EXPIRY, TOKEN, HELLO)),
    "frames/enhanced-notification-host-order": (
        "Command 1 as Apple's listing writes it on a little-endian host: the identifier 1234 is not converted.",
        enhanced(0xD2040000, 0, TOKEN, HELLO)),
    "frames/notification": ("Command 2 with all five items.", notification(*all_items())),
    "frames/notification-two-items": ("Command 2 with the two items that it needs, the alert localized.",
                                      notification(item(1, TOKEN), item(2, APPLE))),
    "frames/notification-other-order": ("Command 2 with its items in an order of its own: none is prescribed.",
                                        notification(*[all_items(priority=b"\x05")[i] for i in (2, 0, 1, 4, 3)])),
    "frames/notification-long-token": ("Command 2 with a token of 100 bytes, the most that Apple's last text allows.",
                                       notification(item(1, bytes(range(100))), item(2, HELLO))),
    "frames/error-response": ("Command 8: status 8, invalid token.", struct.pack(">BBI", 8, 8, 1234)),
    "frames/error-response-shutdown": ("Command 8: status 10; the identifier is the last one accepted.",
                                       struct.pack(">BBI", 8, 10, 1234)),
    "frames/feedback": ("Two feedback tuples.", feedback(1384732800, TOKEN) + feedback(1384732801, TOKEN[::-1])),
    "frames/three-commands": ("Commands 0, 1 and 2 in one stream.",
                              legacy(TOKEN, HELLO) + WHOLE + notification(*all_items())),
    "malformed/length-counts-characters": (
        "The payload length counts characters, not bytes: all that follows is shifted.",
        enhanced(7, EXPIRY, TOKEN, RUSSIAN.encode(), payload_length=len(RUSSIAN)) + WHOLE),
    "malformed/frame-cut": ("Command 1 cut in its payload.", enhanced(7, EXPIRY, TOKEN, HELLO)[:-9]),
    "malformed/header-cut": ("Command 2 cut in its frame length.", bytes([2, 0, 0])),
    "malformed/four-gigabytes": ("Command 2 that claims 4 GiB.", notification(*all_items(), length=0xFFFFFFFF)),
    "malformed/item-overrun": ("The token item says 32 bytes, 5 follow, and the frame is over.",
                               notification(item(2, HELLO), item(1, TOKEN[:5], 32)) + WHOLE),
    "malformed/priority-four-bytes": ("The priority as a 32-bit number.", notification(*all_items(priority=b"\0\0\0\x0a"))),
    "malformed/unknown-item": ("An item that no edition documents.", notification(*all_items(), item(9, b"\1\2"))),
    "malformed/spare-bytes": ("Two bytes too many in the frame length: the next frame's head is swallowed.",
                              notification(*all_items(), length=len(b"".join(all_items())) + 2) + WHOLE),
    "malformed/unknown-command": ("Bytes that start no frame, behind one that is whole.", WHOLE + bytes.fromhex("ffeedd")),
    "malformed/trailing-comma": ("Apple's second example payload as printed: a comma too many.", legacy(
        TOKEN, b'{"aps":{"alert":"You got your emails.","badge":9,},"acme1":"bar"}')),
    "malformed/payload-not-utf8": ("Text cut inside a character.", legacy(TOKEN, '{"aps":{"alert":"é"}}'.encode()[:-4] + b'"}}')),
    "malformed/escape-sequences": ("A payload that would clear the screen and turn the text around.",
                                   legacy(TOKEN, b'{"aps":{"alert":"\x1b[2J\xe2\x80\xae\xc2\x9b31m"}}')),
    "malformed/nul-terminated": ("The payload's terminating NUL counted in.", legacy(TOKEN, HELLO + b"\0")),
    "malformed/tls": ("A TLS client hello.", bytes.fromhex("1603010200010001fc0303") + bytes(16)),
    "malformed/http2": ("An HTTP/2 preface.", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
}


def main():
    for name, (comment, data) in SAMPLES.items():
        lines = [f"# {comment}"] + [data[i:i + 32].hex() for i in range(0, len(data), 32)]
        path = HERE / (name + ".hex")
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n")


main()
