"""The Python that most people would write by hand: struct and json, and no check of anything. usage: FILE of raw frames"""
import json
import struct
import sys


def counted(data, at):
    (length,) = struct.unpack_from(">H", data, at)
    return at + 2, at + 2 + length


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    at = frames = 0
    payload = b"{}"
    while at < len(data):
        command = data[at]
        if command in (0, 1):
            _, end = counted(data, at + (1 if command == 0 else 9))
            start, at = counted(data, end)
            payload = data[start:at]
        elif command == 2:
            (length,) = struct.unpack_from(">I", data, at + 1)
            item, at = at + 5, at + 5 + length
            while item < at:
                start, end = counted(data, item + 1)
                if data[item] == 2:
                    payload = data[start:end]
                item = end
        else:
            sys.exit(f"no frame at {at}")
        json.loads(payload)
        frames += 1
    print(f"{frames} frames")


main()
