#!/usr/bin/env python3
"""Writes push-0.pcap, push-1.pcap ...: a capture of four senders, rotated so that connections and frames continue across files.

    apnscope must be in PATH.
"""
import hashlib
import json
import pathlib
import struct
import subprocess

HERE = pathlib.Path(__file__).parent
# Some frames are cut between two files.
PACKETS = 25
START = 1384776000  # 2013-11-18 12:00:00 UTC
GATEWAY = "17.149.34.66:2195"


def token(number):
    return hashlib.sha256(str(number).encode()).hexdigest()


def time(seconds):
    minutes, seconds = divmod(seconds, 60)
    return f"2013-11-18T12:{minutes:02}:{seconds:02}.000000Z"


records = []
for connection in range(12):
    sender = f"10.0.0.{connection % 4 + 1}:{40000 + connection}"
    begin = connection * 11
    route = {"stream": connection * 2, "from": sender, "to": GATEWAY}
    for number in range(8):
        # Some are so long that they need several packets.
        alert = "Your order has shipped" if connection % 4 != 2 else "Your order has shipped. " * (14 + number * 25)
        device = 100 * (connection % 4) + number if number != 5 else 999
        if connection % 4 == 1 and number == 3:
            payload = '{"aps":{"alert":"Hi",}}'
        else:
            payload = json.dumps({"aps": {"alert": alert, "badge": number}}, separators=(",", ":"))
        records.append((begin + number * 9, {
            "schema": 1, "type": "enhanced-notification", "command": 1, "identifier": connection * 100 + number,
            "expiry": START + 86400, "token": token(device), "payload": payload, **route}))
    # Each answer ends a connection: status 8 for a token that is no longer valid, 10 if the gateway shuts down.
    if connection % 3 != 1:
        status = 8 if connection % 3 == 0 else 10
        records.append((begin + 70, {
            "schema": 1, "type": "error-response", "command": 8, "status": status, "identifier": connection * 100 + 5,
            "stream": connection * 2 + 1, "from": GATEWAY, "to": sender}))

records.sort(key=lambda record: record[0])
lines = [json.dumps({**record, "time": time(when)}, ensure_ascii=False) for when, record in records]
capture = subprocess.run(["apnscope", "encode", "-T", "pcap"], input="\n".join(lines).encode(), check=True,
                         stdout=subprocess.PIPE).stdout

packets = []
position = 24
while position < len(capture):
    size = 16 + struct.unpack_from("<I", capture, position + 8)[0]
    packets.append(capture[position:position + size])
    position += size
for number, start in enumerate(range(0, len(packets), PACKETS)):
    (HERE / f"push-{number}.pcap").write_bytes(capture[:24] + b"".join(packets[start:start + PACKETS]))
