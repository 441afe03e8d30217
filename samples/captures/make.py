#!/usr/bin/env python3
"""Make the captures of this folder again.

Needs root (for tcpdump), tcpdump, openssl, scapy and Wireshark's command-line tools. A client and a server talk over
loopback while tcpdump listens; the captures that no machine here would record as they are get derived from that
recording. Times, ports and sequence numbers differ from run to run; what is said does not.
"""

import glob
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

# Frames as client libraries of the time made them.
JAVA_APNS_COMMAND_0 = bytes.fromhex(
    "00002028f26a6548e1c445bc563c09d68438cc7636b683f014d30552c552870f7da48400277b22617073223a7b22616c657274223a2248656c"
    "6c6f2066726f6d207468652070656572227d7d"
)
GROCER_COMMAND_1 = bytes.fromhex(
    "01010203045f5e1e10002003d7c660d601522cf757fdd5557fe772f06072d4d7887329ac8fc4a2a1964faf004b7b22617073223a7b22616c65"
    "7274223a22e68ea8e98081e9809ae79fa520f09f8e8920d09fd180d0b8d0b2d0b5d1822c20d0bcd0b8d18020e28094206e61c3af7665206361"
    "66c3a9227d7d"
)
APNS_GO_COMMAND_2 = bytes.fromhex(
    "02000000ad010020d4631fa4cbdb56b758686b9d27614537e61dc6b7d6b15393cbb1db5b34fe5b1f0200757b22617073223a7b22616c657274"
    "223a7b226c6f632d6b6579223a2247414d455f504c41595f524551554553545f464f524d4154222c226c6f632d61726773223a5b224a656e6e"
    "61222c224672616e6b225d7d2c226261646765223a2d312c22736f756e64223a226368696d652e61696666227d7d0300040001000004000470"
    "dbd88005000105"
)
TIMEHOP_COMMAND_2 = bytes.fromhex(
    "020000008201002010293b74287553a1de65b89aab29edeb2c13abe3783ce142f6cd418498bdfed802004a7b22617073223a7b22616c657274"
    "223a22596f7520676f7420796f757220656d61696c732e222c226261646765223a392c22736f756e64223a2262696e67626f6e672e61696666"
    "227d7d0300047ffffffe040004000000010500010a"
)
JAVA_APNS_FEEDBACK = bytes.fromhex(
    "0000000a002028f26a6548e1c445bc563c09d68438cc7636b683f014d30552c552870f7da48400000100002003d7c660d601522cf757fdd555"
    "7fe772f06072d4d7887329ac8fc4a2a1964faf0000010000208707976706601ed811c4dc28390ba16c68221a0f2b5a41c32034a7d876d4daa7"
)
# Status 8 for identifier 65536, which is the third frame.
ERROR_RESPONSE = bytes.fromhex("080800010000")

PUSH = [JAVA_APNS_COMMAND_0, GROCER_COMMAND_1, APNS_GO_COMMAND_2 + TIMEHOP_COMMAND_2]

ETHERNET, NULL, RAW, USER2, PKTAP = 1, 0, 101, 149, 258


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    record("push-session.pcap", push)
    record("feedback.pcap", feedback)
    record("ipv6.pcap", push, host="::1")
    record("nanoseconds.pcap", push, options=["--time-stamp-precision=nano"])
    record("cooked-v1.pcap", push, interface="any", options=["-y", "LINUX_SLL"])
    record("cooked-v2.pcap", push, interface="any", options=["-y", "LINUX_SLL2"])
    subprocess.run(["editcap", "-F", "pcapng", "push-session.pcap", "push-session.pcapng"], check=True)
    derive("push-session.pcap")
    apple()
    record("dumpcap.pcapng", push, program=["dumpcap"])
    encrypted("secrets.pcapng", "wireshark-export.pcapng")
    subprocess.run(["mergecap", "-w", "mixed-links.pcapng", "push-session.pcap", "cooked-v2.pcap"], check=True)
    with open("push-session.pcap.gz", "wb") as file:
        subprocess.run(["gzip", "-9nc", "push-session.pcap"], stdout=file, check=True)
    for path in glob.glob("*.pcapng"):
        fields = ["-e", "frame.number", "-e", "frame.time_epoch", "-e", "frame.cap_len", "-e", "frame.len"]
        with open(path + ".packets", "w") as file:
            subprocess.run(["tshark", "-r", path, "-T", "fields", *fields], stdout=file, check=True)


# What is said


def push(host, port, *secure):
    """Notifications there, an error response back, and the service closes."""

    def gateway(connection):
        receive(connection, sum(map(len, PUSH)))
        connection.sendall(ERROR_RESPONSE)

    def provider(connection):
        for write in PUSH:
            connection.sendall(write)
            time.sleep(0.02)  # so that each write is a segment
        receive(connection, len(ERROR_RESPONSE))

    talk(host, port, 2195, gateway, provider, *secure)


def feedback(host, port):
    talk(host, port, 2196, lambda service: service.sendall(JAVA_APNS_FEEDBACK), lambda provider: None)


def encrypted(path, exported):
    """The push session in TLS 1.2, with its secrets in the capture; and decrypted, as tshark exports it."""
    with tempfile.TemporaryDirectory() as folder:
        key, certificate, log, plain = (os.path.join(folder, name) for name in ("key", "cert", "log", "pcap"))
        subject = ["-subj", "/CN=localhost", "-keyout", key, "-out", certificate]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject], check=True)
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(certificate, key)
        server.maximum_version = ssl.TLSVersion.TLSv1_2
        client = ssl.create_default_context(cafile=certificate)
        client.check_hostname = False
        client.keylog_filename = log

        def secure(connection, is_server):
            return (server if is_server else client).wrap_socket(connection, server_side=is_server)

        record(plain, lambda host, port: push(host, port, secure))
        subprocess.run(["editcap", "--inject-secrets", f"tls,{log}", plain, path], check=True)
    command = ["tshark", "-r", path, "-d", "tls.port==2195,data", "-U", "OSI layer 7", "-w", exported]
    subprocess.run(command, check=True)


def talk(host, client_port, server_port, serve, ask, secure=lambda connection, is_server: connection):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener, socket.socket(family) as client:
        for end in (listener, client):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, server_port))
        listener.listen()

        def accept():
            with secure(listener.accept()[0], True) as connection:
                serve(connection)

        server = threading.Thread(target=accept)
        server.start()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.bind((host, client_port))
        client.connect((host, server_port))
        with secure(client, False) as connection:
            ask(connection)
            while connection.recv(4096):
                pass
        server.join()


def receive(connection, count):
    while count > 0:
        received = connection.recv(count)
        if not received:
            sys.exit("the other side closed too early")
        count -= len(received)


next_port = 40000


TCPDUMP = ["tcpdump", "-U", "--immediate-mode", "-Z", "root"]


def record(path, conversation, interface="lo", host="127.0.0.1", options=(), program=TCPDUMP):
    """Each conversation gets a client port of its own: the last one still waits for late packets."""
    global next_port
    next_port += 1
    command = [*program, "-i", interface, "-w", path, *options, "-f", f"tcp port {next_port}"]
    if program is TCPDUMP:
        command.remove("-f")
    listener = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not any(word in listener.stderr.readline() for word in ("listening on", "File: ")):
        if listener.poll() is not None:
            sys.exit(f"{program[0]} failed for {path}")
    conversation(host, next_port)
    time.sleep(0.5)
    listener.send_signal(signal.SIGINT)
    listener.communicate()


# What is derived


def derive(path):
    packets = read(path)
    handshake, rest = packets[:3], packets[3:]
    write("no-handshake.pcap", ETHERNET, rest)
    tags = bytes.fromhex("88a80064 81000007")
    write("vlan.pcap", ETHERNET, [(when, frame[:12] + tags + frame[12:]) for when, frame in packets])
    # The family of IPv4 in the byte order of a big-endian machine.
    write("null.pcap", NULL, [(when, bytes([0, 0, 0, 2]) + frame[14:]) for when, frame in packets])
    write("raw-ip.pcap", RAW, [(when, frame[14:]) for when, frame in packets])

    data = [(when, frame) for when, frame in rest if is_data(frame)]
    others = [(when, frame) for when, frame in rest if not is_data(frame)]
    pieces = [piece for when, frame in data for piece in split(when, frame, 48)]
    last = next(index for index, (when, frame) in enumerate(others) if when > data[-1][0])
    write("missing-segment.pcap", ETHERNET, handshake + pieces[:3] + pieces[4:] + others[last:])

    again = [(when + 5, frame.replace(b'"badge":9', b'"badge":1')) for when, frame in data if b'"badge":9' in frame]
    write("overlapping.pcap", ETHERNET, sorted(packets + again))

    pieces[0], pieces[1] = pieces[1], pieces[0]
    pieces[5], pieces[7] = pieces[7], pieces[5]
    pieces.insert(9, pieces[3])
    when, frame = data[2]
    # Goes over four that came already, and 28 bytes into the one that follows.
    pieces.insert(10, next(split(when, frame, 220)))
    write("swapped-and-repeated.pcap", ETHERNET, handshake + pieces + others[last:])

    whole = open(path, "rb").read()
    end = whole.index(TIMEHOP_COMMAND_2)
    with open("cut.pcap", "wb") as file:
        file.write(whole[: end + 20])


def apple():
    """As `tcpdump -i pktap` writes them on macOS; some tools number the link type as libpcap does there."""
    packets = [(when, pktap("en0", ETHERNET, frame)) for when, frame in read("push-session.pcap")]
    write("pktap.pcap", PKTAP, packets)
    # The link type of raw IP in libpcap is 12.
    packets = [(when, pktap("utun0", 12, frame[14:])) for when, frame in read("ipv6.pcap")]
    write("pktap-user2.pcap", USER2, packets)


def pktap(interface, link, packet):
    """XNU's struct pktap_header: length, record type, link type, interface, flags (1 in, 2 out), protocol family,
    lengths before and after the network packet, process, its name, service class, interface type and unit, then another
    process; then fields that later systems appended."""
    family = 30 if packet[0] >> 4 == 6 else 2
    first = struct.pack("<24s4Ii20sI", interface.encode(), 1, family, 14 if link == ETHERNET else 0, 0, 501, b"java", 0)
    second = struct.pack("<HHi20s", 6 if link == ETHERNET else 1, 0, -1, b"")
    header = first + second + bytes(48)
    return struct.pack("<III", 12 + len(header), 1, link) + header + packet


def is_data(frame):
    packet = Ether(frame)
    return packet[TCP].dport == 2195 and len(packet[TCP].payload) > 0


def split(when, frame, size):
    packet = Ether(frame)
    payload = bytes(packet[TCP].payload)
    for start in range(0, len(payload), size):
        piece = packet.copy()
        piece[TCP].remove_payload()
        piece[TCP].seq = (packet[TCP].seq + start) % 2**32
        piece[TCP].add_payload(payload[start : start + size])
        del piece[IP].len, piece[IP].chksum, piece[TCP].chksum  # made anew
        yield when, bytes(piece)


def read(path):
    content = open(path, "rb").read()
    packets, offset = [], 24
    while offset < len(content):
        seconds, microseconds, captured, _ = struct.unpack_from("<IIII", content, offset)
        offset += 16
        packets.append((seconds * 1000000 + microseconds, content[offset : offset + captured]))
        offset += captured
    return packets


def write(path, link, packets):
    """Times never run backwards, and no two packets share one."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link))
        now = 0
        for when, frame in packets:
            now = max(when, now + 1)
            file.write(struct.pack("<IIII", now // 1000000, now % 1000000, len(frame), len(frame)) + frame)


if __name__ == "__main__":
    main()
