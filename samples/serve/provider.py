#!/usr/bin/env python3
"""A small provider that behaves as Apple documents, to show what `apnscope serve --conformance` expects.

It sends notifications with command 2, reads the connection while it writes, and sends again exactly what an error
response says was discarded. Standard library only.

    apnscope serve --conformance -- python3 samples/serve/provider.py

Each switch makes it misbehave in one way, so that tests can expect the scenario that fails.
"""
import argparse
import json
import os
import select
import socket
import struct
import time

MISBEHAVIOURS = {
    "resend-nothing": "connects again, but sends nothing of what was discarded",
    "resend-twice": "sends each discarded notification twice",
    "resend-backwards": "sends the discarded notifications in reverse order",
    "ignore-answer": "does not read the error response, and sends everything again",
    "resend-rejected": "begins with the rejected notification when it sends again",
    "same-identifier": "gives all notifications one identifier",
    "no-identifier": "omits the identifier",
    "command-0": "uses command 0, which has no identifiers",
    "connect-each-time": "opens a connection for each notification",
    "give-up": "ends after the first connection",
    "short-token": "sends one token of 31 bytes",
    "cut-frame": "closes the connection inside a frame",
    "never-read": "writes on without reading, until it cannot",
    "write-feedback": "writes to the feedback service",
    "leave-feedback": "reads only the beginning of the feedback",
    "hold-feedback": "neither reads the feedback nor closes the connection",
    "no-feedback": "does not connect to the feedback service",
    "crash": "ends with an uncaught exception when the gateway closes the connection",
}

HOST = os.environ.get("APNS_HOST", "127.0.0.1")
PUSH = int(os.environ.get("APNS_PORT", "2195"))
FEEDBACK = int(os.environ.get("APNS_FEEDBACK_PORT", "2196"))


class Provider:
    def __init__(self, options):
        self.options = options
        self.misbehaves = set(options.misbehave)
        # Each entry is a notification: its number, which is also its identifier.
        self.queue = list(range(1, options.count + 1))
        self.sent = []
        self.held = None

    def frame(self, number):
        """Apple's guide, "The binary interface and notification format"."""
        token = number.to_bytes(4, "big") * 8
        if "short-token" in self.misbehaves and number == 7:
            token = token[:31]
        payload = json.dumps({"aps": {"alert": f"Message {number}"}}, separators=(",", ":")).encode()
        if "command-0" in self.misbehaves:
            return struct.pack(">BH", 0, len(token)) + token + struct.pack(">H", len(payload)) + payload
        identifier = 1 if "same-identifier" in self.misbehaves else number
        items = [(1, token), (2, payload), (3, struct.pack(">I", identifier))]
        items += [(4, struct.pack(">I", int(time.time()) + 86400)), (5, b"\x0a")]
        if "no-identifier" in self.misbehaves:
            del items[2]
        data = b"".join(struct.pack(">BH", item, len(value)) + value for item, value in items)
        return struct.pack(">BI", 2, len(data)) + data

    def run(self):
        if "no-feedback" not in self.misbehaves:
            self.read_feedback()
        while self.connect_and_send():
            if "give-up" in self.misbehaves:
                break

    def connect(self, port):
        deadline = time.monotonic() + 10
        while True:
            try:
                return socket.create_connection((HOST, port), timeout=10)
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def connect_and_send(self):
        """Sends what is queued on a new connection. Returns whether another connection is needed."""
        self.sent = []
        with self.connect(PUSH) as connection:
            if "connect-each-time" in self.misbehaves:
                connection.sendall(self.frame(self.queue.pop(0)))
                return bool(self.queue)
            try:
                return self.exchange(connection)
            except (BrokenPipeError, ConnectionResetError):
                # What the gateway had read by then is not known.
                if "crash" in self.misbehaves:
                    raise
                self.queue = self.sent + self.queue
                return True

    def exchange(self, connection):
        if "cut-frame" in self.misbehaves:
            del self.queue[10:]
        batch, self.queue = self.queue, []
        self.sent = batch
        data = b"".join(self.frame(number) for number in batch)
        if "never-read" in self.misbehaves:
            return self.write_only(connection, data)
        if "cut-frame" in self.misbehaves:
            data = data[:-5]
        # The gateway may answer at any time, so the connection is read while it is written.
        answer = b""
        connection.setblocking(False)
        deadline = time.monotonic() + self.options.wait
        while True:
            readable, writable, _ = select.select(
                [connection], [connection] if data else [], [], max(deadline - time.monotonic(), 0))
            if readable:
                received = connection.recv(max(6 - len(answer), 1))
                answer += received
                if not received:
                    break
            if writable:
                data = data[connection.send(data):]
                deadline = time.monotonic() + self.options.wait
            if not readable and not writable:
                return False  # accepted, as far as is known
        self.requeue(batch, answer)
        return True

    def write_only(self, connection, data):
        """Sends everything, and new notifications after a pause."""
        connection.sendall(data)
        time.sleep(self.options.wait + 2)
        number = self.sent[-1]
        try:
            for _ in range(20):
                number += 1
                connection.sendall(self.frame(number))
                time.sleep(0.05)
        except OSError:
            self.queue = list(range(number + 1, number + 1 + self.options.count))
        return bool(self.queue)

    def requeue(self, batch, answer):
        """Queues what has to be sent again after the gateway has closed the connection."""
        if "crash" in self.misbehaves:
            raise RuntimeError("the gateway closed the connection")
        discarded = batch
        if len(answer) == 6 and "ignore-answer" not in self.misbehaves:
            _, status, identifier = struct.unpack(">BBI", answer)
            if identifier in batch:
                index = batch.index(identifier)
                discarded = batch[index + 1:]
                if "resend-rejected" in self.misbehaves and status != 10:
                    discarded = batch[index:]
        if "resend-nothing" in self.misbehaves:
            first = self.options.count + 1
            discarded = list(range(first, first + self.options.count))
        if "resend-twice" in self.misbehaves:
            discarded = [number for number in discarded for _ in range(2)]
        if "resend-backwards" in self.misbehaves:
            discarded = discarded[::-1]
        self.queue = discarded

    def read_feedback(self):
        connection = self.connect(FEEDBACK)
        if "hold-feedback" in self.misbehaves:
            self.held = connection
            return
        with connection:
            if "write-feedback" in self.misbehaves:
                connection.sendall(b"hello")
            if "leave-feedback" in self.misbehaves:
                connection.recv(38)
                return
            while connection.recv(1 << 16):
                pass


def main():
    parser = argparse.ArgumentParser(description="A provider to test gateways and scenarios with.")
    parser.add_argument("--count", type=int, default=120, help="number of notifications (default: 120)")
    parser.add_argument(
        "--wait", type=float, default=1.5, help="seconds to wait for an answer after the last one (default: 1.5)")
    parser.add_argument("misbehave", nargs="*", help="what to do wrong")
    options = parser.parse_args()
    for name in options.misbehave:
        if name not in MISBEHAVIOURS:
            parser.error(f"no misbehaviour is called {name}; choose from {', '.join(MISBEHAVIOURS)}")
    Provider(options).run()


if __name__ == "__main__":
    main()
