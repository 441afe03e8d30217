"""Reads a provider's stream (commands 0, 1 and 2, as Apple's text of 2013 has them) from standard input, or from a file:
status 0 where all of it is right, 1 where it is not, with a word on standard error.

One bug is planted: behind a payload it goes on by as many bytes as the text has characters. With DECODER_FIXED in the
environment it goes on by bytes.
"""

import json
import os
import sys

FIXED = "DECODER_FIXED" in os.environ


class Refused(Exception):
    pass


class Reader:
    def __init__(self, data):
        self.data = data
        self.position = 0

    def take(self, count):
        if len(self.data) - self.position < count:
            raise Refused("it ends inside a field")
        self.position += count
        return self.data[self.position - count:self.position]

    def number(self, width):
        return int.from_bytes(self.take(width), "big")

    def payload(self, length):
        data = self.take(length)
        text = check_payload(data)
        if not FIXED:
            self.position -= length - len(text)


def no_constant(name):
    raise Refused("a payload is no JSON")


def check_payload(data):
    if not 1 <= len(data) <= 256:
        raise Refused("a payload is empty or too long")
    try:
        text = data.decode("utf-8")
        payload = json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refused("a payload is no JSON")
    if not isinstance(payload, dict):
        raise Refused("a payload is no object")
    return text


def check_token(token):
    if len(token) != 32 or not any(token):
        raise Refused("a token has not 32 bytes, or is all zeros")


def check_items(data):
    reader = Reader(data)
    seen = set()
    while reader.position < len(data):
        item, length = reader.number(1), reader.number(2)
        if item in seen:
            raise Refused("an item comes twice")
        seen.add(item)
        if item == 1:
            check_token(reader.take(length))
        elif item == 2:
            reader.payload(length)
        elif {3: 4, 4: 4, 5: 1}.get(item) == length:
            reader.take(length)
        else:
            raise Refused("an item is unknown, or has not its size")
    if not seen >= {1, 2}:
        raise Refused("a frame has no token or no payload")


def check(data):
    reader = Reader(data)
    while reader.position < len(data):
        command = reader.number(1)
        if command == 2:
            check_items(reader.take(reader.number(4)))
        elif command in (0, 1):
            reader.take(8 if command == 1 else 0)
            check_token(reader.take(reader.number(2)))
            reader.payload(reader.number(2))
        else:
            raise Refused("a command is unknown")


try:
    if len(sys.argv) > 1:
        with open(sys.argv[1], "rb") as file:
            check(file.read())
    else:
        check(sys.stdin.buffer.read())
except Refused as reason:
    sys.exit(str(reason))
