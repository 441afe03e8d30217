#!/usr/bin/env python3
"""Checks a folder of rotated captures with Spark and prints the findings as NDJSON, one a line, sorted.

    spark-submit findings.py FOLDER

Each worker needs apnscope in its PATH, and the folder under the same name. The work is divided by pairs of hosts: a task
reads the packets of one pair, from all files in which the pair occurs. So no connection is cut where a file ends, and
rules that compare the connections of one sender see all of them.
"""
import ipaddress
import json
import pathlib
import struct
import subprocess
import sys

from pyspark.sql import SparkSession


def packets(path):
    """The link type and the bytes of each packet of a pcap or pcapng file."""
    data = pathlib.Path(path).read_bytes()
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        yield from pcapng_packets(data)
        return
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    link = struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF
    position = 24
    while position + 16 <= len(data):
        size = struct.unpack_from(order + "I", data, position + 8)[0]
        yield link, data[position + 16:position + 16 + size]
        position += 16 + size


def pcapng_packets(data):
    links, order, position = [], "<", 0
    while position + 12 <= len(data):
        kind = data[position:position + 4]
        if kind == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[position + 8:position + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            links = []
        kind, size = struct.unpack_from(order + "II", data, position)
        if kind == 1:
            links.append(struct.unpack_from(order + "H", data, position + 8)[0])
        elif kind == 6:
            interface, _, _, captured = struct.unpack_from(order + "IIII", data, position + 8)
            yield links[interface], data[position + 28:position + 28 + captured]
        elif kind == 3:
            yield links[0], data[position + 12:position + size - 4]
        position += size


HEADERS = {0: 4, 1: 14, 12: 0, 101: 0, 108: 4, 113: 16, 228: 0, 229: 0, 276: 20}


def pair(link, packet):
    """The capture filter for the two hosts of a packet; None if it is not IP."""
    if link not in HEADERS:
        raise ValueError(f"link type {link} is not supported")
    start, tags = HEADERS[link], 0
    while link == 1 and packet[start - 2:start] in (b"\x81\x00", b"\x88\xa8"):
        start, tags = start + 4, tags + 1
    version = packet[start] >> 4 if start < len(packet) else 0
    fields = {4: (12, 4), 6: (8, 16)}.get(version)
    if fields is None or len(packet) < start + fields[0] + 2 * fields[1]:
        return None
    first, size = start + fields[0], fields[1]
    hosts = sorted(ipaddress.ip_address(packet[at:at + size]) for at in (first, first + size))
    return "vlan and " * tags + f"host {hosts[0]} and host {hosts[1]}"


def pairs(path):
    return [(found, path) for found in {pair(*packet) for packet in packets(path)} if found]


def check(filter, files):
    """The findings in the packets of one pair of hosts."""
    command = ["apnscope", "check", "-q", "--fail-on", "never", "-T", "ndjson", "-f", filter, *files]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.decode())
    findings = [json.loads(line) for line in run.stdout.splitlines()]
    for finding in findings:
        # With one file its name is left out. Streams are numbered anew in each task.
        finding.setdefault("file", files[0])
        del finding["stream"]
    return findings


def order(finding):
    return finding["file"], finding["packets"], finding["from"], finding["offset"], finding["rule"]


def main(folder):
    spark = SparkSession.builder.appName("apnscope").getOrCreate()
    files = sorted(str(path) for path in pathlib.Path(folder).glob("*.pcap*"))
    tasks = (
        spark.sparkContext.parallelize(files, max(len(files), 1))
        .flatMap(pairs)
        .groupByKey()
        .mapValues(sorted)
        .cache()
    )
    findings = tasks.flatMap(lambda task: check(*task)).collect()
    for finding in sorted(findings, key=order):
        print(json.dumps(finding, ensure_ascii=False))
    print(f"{len(findings)} findings in {len(files)} files, by {tasks.count()} tasks", file=sys.stderr)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
