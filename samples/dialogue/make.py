#!/usr/bin/env python3
"""Writes the captures of this folder that `apnscope encode` cannot: with answers before the end, gaps, resets and ports."""
import hashlib
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
SYN, FIN, PSH, ACK = 0x02, 0x01, 0x08, 0x10
SERVICE = 0x11952242


class Capture:
    """A classic pcap file of raw IP packets, a millisecond apart."""

    def __init__(self, name):
        self.file = open(os.path.join(HERE, name + ".pcap"), "wb")
        self.file.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101))
        self.time = 1384732800_001000

    def write(self, source, target, seq, ack, flags, payload):
        tcp = struct.pack(">HHIIBBHHH", source[1], target[1], seq, ack, 5 << 4, flags, 65535, 0, 0) + payload
        ip = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, source[0], target[0]) + tcp
        self.file.write(struct.pack("<IIII", self.time // 1000000, self.time % 1000000, len(ip), len(ip)) + ip)
        self.time += 1000


class Connection:
    def __init__(self, capture, port=40000, service=2195, handshake=True):
        self.capture, self.client, self.service = capture, (0x0A000001, port), (SERVICE, service)
        self.sent, self.answered = 1000, 5000
        if handshake:
            self.send(flags=SYN, count=1)
            self.answer(flags=SYN | ACK, count=1)
            self.send(flags=ACK)

    def send(self, payload=b"", flags=PSH | ACK, count=0):
        self.capture.write(self.client, self.service, self.sent, self.answered, flags, payload)
        self.sent += len(payload) + count

    def lose(self, payload):
        self.sent += len(payload)

    def answer(self, payload=b"", flags=PSH | ACK, count=0):
        self.capture.write(self.service, self.client, self.answered, self.sent, flags, payload)
        self.answered += len(payload) + count

    def close(self):
        self.send(flags=FIN | ACK, count=1)

    def close_service(self):
        self.answer(flags=FIN | ACK, count=1)


def token(number):
    return hashlib.sha256(b"%d" % number).digest()


def body(number, to, size):
    payload = b'{"aps":{"alert":"n%d"}}' % number
    return struct.pack(">H", size) + token(to)[:size] + struct.pack(">H", len(payload)) + payload


def enhanced(number, to=7, size=32):
    return struct.pack(">BII", 1, number, 1384819201) + body(number, to, size)


def legacy(number):
    return b"\0" + body(number, 7, 32)


def response(status, identifier):
    return struct.pack(">BBI", 8, status, identifier)


def feedback():
    return struct.pack(">IH", 1384732000, 32) + token(1)


def talk(name, sent, answer=b"", later=(), closes=("service",), service=2195, handshake=True):
    connection = Connection(Capture(name), service=service, handshake=handshake)
    for frame in sent:
        connection.send(frame)
    if answer:
        connection.answer(answer)
    for frame in later:
        connection.send(frame)
    for side in closes:
        connection.close_service() if side == "service" else connection.close()


three = [enhanced(number) for number in (1, 2, 3)]
talk("written-after", three, response(8, 2), later=[enhanced(4), enhanced(5), enhanced(2)], closes=())
talk("silent-close", [enhanced(1), enhanced(2), enhanced(3, size=0), enhanced(4)], closes=("service", "client"))
talk("faulty-before", [enhanced(n, size=0 if n == 2 else 32) for n in range(1, 6)], response(8, 4))
talk("no-answer", [enhanced(1), enhanced(2, size=0), enhanced(3), enhanced(4)[:40]], closes=("client",))
talk("late", [enhanced(number) for number in range(50, 54)], response(8, 44), handshake=False)
talk("one-faulty-of-many", [enhanced(1234, size=0 if n == 4 else 32) for n in range(1, 7)], response(2, 1234))
talk("contradiction", three, response(4, 2))
talk("status-zero", three, response(0, 1) + response(0, 2) + response(0, 3), closes=())
talk("answer-cut", three, response(8, 2)[:4])
talk("legacy-answered", [legacy(number) for number in (1, 2, 3)], response(8, 0))
talk("push-to-feedback", three[:2], service=2196)
talk("feedback-client-writes", [b"\0"], feedback(), service=2196)
talk("feedback-from-push", [], feedback())

gap = Connection(Capture("gap"))
for number in range(1, 6):
    gap.lose(enhanced(3)) if number == 3 else gap.send(enhanced(number))
gap.answer(response(8, 3))
gap.close_service()

environment = Capture("other-environment")
for number in range(3):
    connection = Connection(environment, port=41000 + number)
    connection.send(enhanced(2 * number + 1, to=100 + number))
    connection.send(enhanced(2 * number + 2, to=200 + number))
    connection.answer(response(8, 2 * number + 1))
    connection.close_service()
    connection.close()

rapid = Capture("rapid")
for number in range(21):
    connection = Connection(rapid, port=41000 + number)
    connection.send(legacy(number))
    connection.close()

# Two of the three discarded notifications are sent again, one of them with a new identifier.
resent = Capture("resent")
connection = Connection(resent, port=41000)
for number in range(1, 6):
    connection.send(enhanced(number))
connection.answer(response(8, 2))
connection.close_service()
connection = Connection(resent, port=41001)
connection.send(enhanced(3))
connection.send(struct.pack(">BII", 1, 6, 1384819201) + body(4, 7, 32))
