#!/usr/bin/env python3
"""The zoo of sender's bugs: streams packed as broken senders pack them, each with its label and its repaired form.

    zoo.py --seed N --count M --out DIR [--only ID,...] [--command 0|1|2]    draws M labelled streams
    zoo.py --fixed                                                         writes the committed set to zoo/
    zoo.py --check [--seed N] [--count M]                                  checks that the labels are honest

Each bug is one small function that packs a notification as the sender with that bug does. Nothing here reads frames;
what does (zoo_check.py) shares no code with the packers, and neither shares any with apnscope.
"""
import argparse
import csv
import dataclasses
import json
import pathlib
import random
import struct

HERE = pathlib.Path(__file__).parent
ANY = (0, 1, 2)


# The notification, and the sender that is right

@dataclasses.dataclass(frozen=True)
class Notification:
    command: int
    identifier: int | None
    expiry: int | None
    token: bytes
    payload: bytes
    priority: int | None
    items: tuple  # of command 2, in the order they are written
    sent: int  # the sender's clock
    content: dict = dataclasses.field(compare=False, default_factory=dict)


def u8(number):
    return struct.pack(">B", number)


def u16(number):
    return struct.pack(">H", number & 0xFFFF)


def u32(number):
    return struct.pack(">I", number & 0xFFFFFFFF)


def u16_little(number):
    return struct.pack("<H", number)


def u32_little(number):
    return struct.pack("<I", number)


def pack(n, token_length=None, payload_length=None, priority_length=1, tail=b"", frame="measured", frame_length=None,
         short=u16, long=u32, number=u32):
    """Packs rightly; each argument is a lie that a broken sender tells.

    tail: bytes written behind the payload; frame: whether the frame length of command 2 is `measured` on the bytes or
    `summed` up from what the items claim; short, long, number: how lengths of two and four bytes, and numbers, are written.
    """
    token_length = len(n.token) if token_length is None else token_length
    payload_length = len(n.payload) if payload_length is None else payload_length
    body = short(token_length) + n.token + short(payload_length) + n.payload + tail
    if n.command == 0:
        return u8(0) + body
    if n.command == 1:
        return u8(1) + number(n.identifier) + number(n.expiry) + body
    items = {
        1: (token_length, n.token), 2: (payload_length, n.payload + tail), 3: (4, number(n.identifier or 0)),
        4: (4, number(n.expiry or 0)), 5: (priority_length, u8(n.priority or 0)),
    }
    data = b"".join(u8(i) + short(items[i][0]) + items[i][1] for i in n.items)
    if frame_length is None:
        frame_length = len(data) if frame == "measured" else sum(3 + items[i][0] for i in n.items)
    return u8(2) + long(frame_length) + data


# The bugs

@dataclasses.dataclass
class Bug:
    id: str
    send: object  # (notification, **form) -> bytes, or for a bug of the whole stream (random, notifications, **form)
    says: str
    idiom: str
    forms: list  # (commands that can have it, parameters of `send`)
    needs: object = None  # form -> what the notification must be like, as arguments of `Draw.notification`
    expect: str = ""  # of a bug that is no root cause: the rule that finds it, in words
    whole: bool = False  # of the whole stream
    by_data: bool = False  # the same sender packs many notifications rightly: those around the bad ones are such
    share: tuple = ("one", "one", "several", "all")
    kept: int = 2  # how many of its forms are in the committed set
    role: str = "provider"

    @property
    def cause(self):
        return "none" if self.expect else self.id


BUGS = {}


def bug(id, says, idiom, forms=((ANY, {}),), **rest):
    def register(send):
        BUGS[id] = Bug(id, send, says, idiom, list(forms), **rest)
        return send
    return register


def forms(*parameters, commands=ANY):
    return [(commands, each) for each in parameters]


def characters(payload, unit):
    text = payload.decode()
    return len(text) if unit == "code-points" else len(text.encode("utf-16-le")) // 2


FOREIGN = dict(script="foreign", escaped=False)


@bug("payload-length-in-characters", "counts the payload's characters, not its bytes",
     "`[1, id, expiry, 0, 32, token, json.length, json].pack('cNNccH*na*')` (Ruby), `chr(0).chr(mb_strlen($payload))` (PHP), "
     "`payload.length` (Java, JavaScript, C#: UTF-16 units)",
     forms(*[dict(unit=unit, width=width, frame=frame) for frame in ("measured", "summed")
             for unit, width in (("code-points", "two-bytes"), ("utf-16", "two-bytes"), ("code-points", "one-byte"))]),
     needs=lambda form: FOREIGN, by_data=True, kept=4)
def payload_length_in_characters(n, unit, width, frame):
    count = characters(n.payload, unit)
    # In one byte behind a constant 0; what does not fit there is another bug, and drawn there.
    if width == "one-byte" and count > 255:
        return pack(n)
    return pack(n, payload_length=count, frame=frame)


@bug("length-in-one-byte", "writes 0 and one byte for a length of two bytes",
     "`chr(0).chr(strlen($payload))` (PHP), `pack('ccca*cca*')` (Ruby, Perl)",
     forms(dict(counts="bytes"), dict(counts="characters")),
     needs=lambda form: dict(size=(256, 900)) | (FOREIGN if form["counts"] == "characters" else {}), by_data=True)
def length_in_one_byte(n, counts):
    count = len(n.payload) if counts == "bytes" else characters(n.payload, "code-points")
    if count <= 255:
        return pack(n)
    return pack(n, payload_length=count % 256)


@bug("lengths-little-endian", "writes lengths in the order of its own processor",
     "`memcpy(p, &length, 2)` without `htons` (C), `struct.pack('<BH32sH', ...)` (Python), `BitConverter.GetBytes` (C#), "
     "`pack('S', ...)` (PHP, Perl, Ruby)",
     forms(dict(fields="lengths"), dict(fields="numbers"), dict(fields="payload-length")), kept=3)
def lengths_little_endian(n, fields):
    if fields == "payload-length":  # the token length is a constant, written by hand
        return pack(n, payload_length=int.from_bytes(u16_little(len(n.payload)), "big"))
    return pack(n, short=u16_little, long=u32_little, number=u32_little if fields == "numbers" else u32)


@bug("lengths-signed", "keeps a length in a signed type that is too small, and widens it with its sign",
     "`char length = strlen(payload); htons(length)` (C), `byte length = (byte) payload.length; out.writeShort(length)` "
     "(Java), `short` lengths summed up to the frame length (Java, C#)",
     [(ANY, dict(type="signed-char", frame="measured")), (ANY, dict(type="signed-char", frame="summed")),
      ((2,), dict(type="signed-short", frame="summed"))],
     needs=lambda form: dict(size=(128, 255) if form["type"] == "signed-char" else (0x8000, 0x9000)), by_data=True)
def lengths_signed(n, type, frame):
    bits = 8 if type == "signed-char" else 16
    half = 1 << bits - 1
    length = (len(n.payload) + half) % (2 * half) - half
    if length == len(n.payload):
        return pack(n)
    return pack(n, payload_length=length, frame=frame)


HEX_FORMS = [
    dict(text="hex", declared=64), dict(text="hex", declared=32), dict(text="half", declared=32),
    dict(text="hex+newline", declared=65), dict(text="bracketed", declared=73), dict(text="spaced", declared=71),
    dict(text="HEX", declared=64), dict(text="hex+nul", declared=65), dict(text="hex-without-first-byte", declared=62),
]


@bug("token-as-hex-text", "sends the token's text, not its bytes",
     "`memcpy(p, hexToken, 32)` (C), `token.encode()` for `bytes.fromhex(token)` (Python), the text that iOS prints: "
     "`<fc13adff 785122b4 ...>`",
     forms(*[form | dict(frame=frame) for frame in ("measured", "summed") for form in HEX_FORMS]),
     needs=lambda form: dict(token_size=32), kept=5)
def token_as_hex_text(n, text, declared, frame):
    digits = n.token.hex()
    spaced = " ".join(digits[i:i + 8] for i in range(0, 64, 8))
    written = {"hex": digits, "HEX": digits.upper(), "half": digits[:32], "hex+nul": digits + "\0",
               "hex+newline": digits + "\n", "hex-without-first-byte": digits[2:], "spaced": spaced,
               "bracketed": f"<{spaced}>"}[text].encode()
    return pack(dataclasses.replace(n, token=written), token_length=declared, frame=frame)


@bug("token-length-constant", "writes 32 as the token's length, whatever the token",
     "`chr(0).chr(32).pack('H*', $token)` (PHP), `3 + 32 + 3 + payload.length` (JavaScript)",
     forms(dict(frame="measured"), dict(frame="summed")),
     needs=lambda form: dict(token_size="other"), by_data=True)
def token_length_constant(n, frame):
    return pack(n, token_length=32, frame=frame)


def item_data(n):
    return len(pack(n)) - 5


@bug("frame-length-without-headers", "sums up the items' data and forgets their three bytes of id and length",
     "`32 + payload.length + 4 + 4 + 1` (any language)", forms({}, commands=(2,)))
def frame_length_without_headers(n):
    return pack(n, frame_length=item_data(n) - 3 * len(n.items))


@bug("frame-length-with-header", "counts the command and the frame length in the frame length",
     "`htonl(total)` (C), `buffer.length` behind the fact (any language)", forms({}, commands=(2,)))
def frame_length_with_header(n):
    return pack(n, frame_length=item_data(n) + 5)


@bug("priority-length-four", "declares four bytes of priority and writes one",
     "`binary.Write(frame, binary.BigEndian, uint16(4))` copied from the expiry to `uint8(10)` (Go)",
     forms(dict(frame="measured"), dict(frame="summed"), commands=(2,)), needs=lambda form: dict(with_priority=True))
def priority_length_four(n, frame):
    return pack(n, priority_length=4, frame=frame) if 5 in n.items else pack(n)


def trailing(n, tail, place, counted, frame):
    if place == "frame":
        return pack(n) + tail
    return pack(n, tail=tail, payload_length=len(n.payload + tail) if counted == "yes" else None, frame=frame)


TRAILING = [dict(place="payload", counted="no", frame="summed"), dict(place="frame", counted="no", frame="summed"),
            dict(place="payload", counted="yes", frame="measured"), dict(place="payload", counted="no", frame="measured")]


@bug("trailing-nul", "writes the terminating NUL with the payload or the frame",
     "`SSL_write(ssl, payload, strlen(payload) + 1)`, `sizeof(buffer)` for `strlen(buffer)` (C)", forms(*TRAILING), kept=3)
def trailing_nul(n, place, counted, frame):
    return trailing(n, b"\0", place, counted, frame)


@bug("trailing-newline", "writes a line end with the payload or the frame",
     "`socket.puts(frame)` (Ruby), `writer.println(frame)` (Java), `$payload.PHP_EOL` (PHP), a payload read from a file with its "
     "last line end",
     forms(*[form | dict(end=end) for end in ("lf", "crlf") for form in TRAILING]), kept=3)
def trailing_newline(n, end, place, counted, frame):
    return trailing(n, {"lf": b"\n", "crlf": b"\r\n"}[end], place, counted, frame)


ORDERS = [((0, 1), dict(order="payload-first")), ((0, 1), dict(order="lengths-first")),
          ((0, 1), dict(order="length-behind-token")), ((1,), dict(order="identifier-last")),
          ((1,), dict(order="identifier-behind-token")), ((2,), dict(order="item-length-first"))]


@bug("fields-out-of-order", "writes the right fields in a wrong order",
     "a packed `struct` with both lengths in front (C), `pack('nn', 32, strlen($payload)).$token.$payload` (PHP), "
     "`struct.pack('>HB', length, id)` for an item (Python)", ORDERS, kept=6)
def fields_out_of_order(n, order):
    token, payload = u16(len(n.token)), u16(len(n.payload))
    command, numbers = u8(n.command), b"" if n.command == 0 else u32(n.identifier or 0) + u32(n.expiry or 0)
    if order == "payload-first":
        return command + numbers + payload + n.payload + token + n.token
    if order == "lengths-first":
        return command + numbers + token + payload + n.token + n.payload
    if order == "length-behind-token":
        return command + numbers + n.token + token + payload + n.payload
    if order == "identifier-last":
        return command + token + n.token + payload + n.payload + numbers
    if order == "identifier-behind-token":
        return command + token + n.token + numbers + payload + n.payload
    data = {1: n.token, 2: n.payload, 3: u32(n.identifier or 0), 4: u32(n.expiry or 0), 5: u8(n.priority or 0)}
    items = b"".join(u16(len(data[i])) + u8(i) + data[i] for i in n.items)
    return command + u32(len(items)) + items


@bug("enhanced-fields-behind-command-0", "writes identifier and expiry behind command 0",
     "`struct.pack('>BIIH', 0, identifier, expiry, 32)` (Python): the fields were added, the command byte was not changed",
     forms({}, commands=(1,)))
def enhanced_fields_behind_command_0(n):
    return u8(0) + pack(n)[1:]


# Bugs of the whole stream. They return the bytes, the stream that was meant, the offset of the first bad frame, the number
# of frames affected, and what else there is to say of the form.

def joined(notifications):
    return b"".join(map(pack, notifications))


def a_place(rng, notifications, place):
    """The offset of a frame of the stream, and of a byte in it."""
    index = rng.randrange(len(notifications))
    n, offset = notifications[index], len(joined(notifications[:index]))
    frame = pack(n)
    token, payload = frame.index(n.token), frame.index(n.payload)
    return offset, offset + rng.randint(*{
        "front": (0, 0), "anywhere": (0, len(frame) - 1), "token": (token, token + len(n.token) - 1),
        "payload": (payload, payload + len(n.payload) - 1)}[place])


PLACES = forms(*[dict(place=place) for place in ("front", "anywhere", "token", "payload")])


@bug("byte-lost", "loses one byte of the stream",
     "a short `write` whose count is taken as one more, `fgetc` to look whether there is more, a reader that eats the first byte "
     "of a connection", PLACES, whole=True, kept=4)
def byte_lost(rng, notifications, place):
    stream = joined(notifications)
    offset, at = a_place(rng, notifications, place)
    return stream[:at] + stream[at + 1:], notifications, offset, 1, dict(at=at)


@bug("byte-added", "adds one byte to the stream",
     "a debugging `write` left in, a keep-alive byte on the wrong socket, a buffer written from one byte before its start",
     PLACES, whole=True, kept=4)
def byte_added(rng, notifications, place):
    stream = joined(notifications)
    offset, at = a_place(rng, notifications, place)
    byte = rng.choice([rng.randrange(256), rng.randrange(256), 0, 10, 97])
    return stream[:at] + u8(byte) + stream[at:], notifications, offset, 1, dict(at=at, byte=f"{byte:02x}")


@bug("repeated-batch", "writes the whole batch once for each notification in it",
     "`notifications.each { |n| socket.write(packed_all) }` (Ruby)", whole=True)
def batch_repeated(rng, notifications):
    batch = joined(notifications)
    return batch * len(notifications), notifications, len(batch), len(notifications), {}


@bug("writers-interleaved", "lets two writers write to one socket without a lock",
     "`out.write(header); out.write(token); out.write(payload)` from two threads (Java), a `send` that takes half of the frame "
     "and a second sender before the rest (any language)",
     forms(dict(writes="fields"), dict(writes="payload-apart"), dict(writes="blocks")), whole=True, kept=3)
def writers_interleaved(rng, notifications, writes):
    queues = [[], []]
    block = rng.choice([16, 32, 64, 100])
    for n in notifications:
        queue = rng.choice(queues)
        queue += [(n, piece) for piece in pieces(n, writes, block)]
    written, writer = [], rng.randrange(2)
    while queues[0] or queues[1]:
        if rng.random() < 0.2 or not queues[writer]:
            writer = 1 - writer
        if queues[writer]:
            written.append(queues[writer].pop(0))
    meant = list(dict.fromkeys(n for n, _ in written))  # in the order of their first bytes
    stream, offsets = b"", {n: [] for n in meant}
    for n, piece in written:
        offsets[n].append((len(stream), len(piece)))
        stream += piece
    cut = [n for n in meant if any(a + size != b for (a, size), (b, _) in zip(offsets[n], offsets[n][1:]))]
    return stream, meant, offsets[cut[0]][0][0] if cut else 0, len(cut), {}


def pieces(n, writes, block):
    frame = pack(n)
    token, payload = frame.index(n.token), frame.index(n.payload)
    if writes == "fields":
        cuts = {1, token - 2, token, token + len(n.token), payload - 2, payload} | ({5, 9} if n.command == 1 else set())
    elif writes == "payload-apart":
        cuts = {payload}
    else:
        cuts = set(range(block, len(frame), block))
    edges = [0] + sorted(cut for cut in cuts if 0 < cut < len(frame)) + [len(frame)]
    return [frame[a:b] for a, b in zip(edges, edges[1:])]


# What is wrong in the content of a frame: a rule finds it, and there is no cause to name behind what is seen.

def with_payload(n, payload):
    return pack(dataclasses.replace(n, payload=payload))


def with_content(n, content):
    return with_payload(n, dumps(content))


def dumps(content, separators=(",", ":"), escaped=False):
    return json.dumps(content, separators=separators, ensure_ascii=escaped).encode()


@bug("expiry-relative", "writes a lifetime where a date stands", "`1.day.to_i` (Ruby)", forms(*[
    dict(lifetime=seconds) for seconds in (60, 300, 3600, 86400, 604800, 2419200)], commands=(1, 2)),
    needs=lambda form: dict(with_expiry=form["lifetime"]), expect="the expiry is a lifetime, not a date: it is long past",
    kept=1)
def expiry_relative(n, lifetime):
    return pack(dataclasses.replace(n, expiry=lifetime))


@bug("expiry-milliseconds", "writes milliseconds", "`Date.now() + 3600000` (JavaScript)", [
    ((1, 2), dict(width=4)), ((2,), dict(width=8))], needs=lambda form: dict(with_expiry=3600, plain_items=True),
    expect="item 4 has eight bytes, or the expiry is the low half of a time in milliseconds: that is to be seen beside the "
           "time of sending alone")
def expiry_milliseconds(n, width):
    if width == 4:
        return pack(dataclasses.replace(n, expiry=n.expiry * 1000 % (1 << 32)))
    rightly = u8(4) + u16(4) + u32(n.expiry)
    data = pack(n)[5:].replace(rightly, u8(4) + u16(8) + struct.pack(">Q", n.expiry * 1000))
    return u8(2) + u32(len(data)) + data


@bug("expiry-minus-one", "writes -1 for \"do not store\"", "`DoNotStore = -1` (C#)", forms({}, commands=(1, 2)),
     needs=lambda form: dict(with_expiry=0), expect="the expiry is FFFFFFFF, the year 2106")
def expiry_minus_one(n):
    return pack(dataclasses.replace(n, expiry=0xFFFFFFFF))


@bug("expiry-overflow", "overflows while it computes the expiry", "`int requestedExpiry * 1000` (Java)", forms(*[
    dict(days=days) for days in (30, 25, 28, 40)], commands=(1, 2)),
    needs=lambda form: dict(with_expiry=form["days"] * 86400), kept=1,
    expect="the expiry is days or weeks before the frame was sent; to be seen beside the time of sending alone")
def expiry_overflow(n, days):
    milliseconds = (days * 86_400_000 + (1 << 31)) % (1 << 32) - (1 << 31)
    return pack(dataclasses.replace(n, expiry=n.sent + milliseconds // 1000))


@bug("badge-as-text", "writes the badge as a string", "`\"badge\":\"$badge\"` (PHP, Perl)",
     needs=lambda form: dict(with_badge=True), expect="the badge is a string, not a number")
def badge_as_text(n):
    return with_content(n, n.content | dict(aps=n.content["aps"] | dict(badge=str(n.content["aps"]["badge"]))))


@bug("aps-misplaced", "leaves aps out, or puts its keys elsewhere", "`{\"alert\":\"...\"}`, `content_available` (any language)",
     forms(*[dict(form=form) for form in ("missing", "empty", "keys-at-root", "key-at-root", "underscore")]),
     expect="aps is missing or empty, or a key of aps stands at the root or is misspelt", kept=6)
def aps_misplaced(n, form):
    aps, rest = n.content["aps"], {key: value for key, value in n.content.items() if key != "aps"}
    return with_content(n, {
        "missing": rest or {"id": 1}, "empty": {"aps": {}} | rest, "keys-at-root": aps | rest,
        "key-at-root": {"aps": aps, "content-available": 1} | rest,
        "underscore": {"aps": aps | {"content_available": 1}} | rest}[form])


@bug("priority-ten-silent", "sends a silent push with priority 10", "a default of `:priority => 10` (Ruby), commands 0 and 1, which imply it",
     [((2,), dict(command=command)) for command in ANY], needs=lambda form: dict(silent=True),
     expect="priority 10, said or implied, where content-available stands alone in aps", kept=6)
def priority_ten_silent(n, command):
    return pack(dataclasses.replace(n, command=command, priority=10))


@bug("identifier-host-order", "writes the identifier in the order of its own processor",
     "`memcpy(p, &whicheverOrderIWantToGetBackInAErrorResponse_ID, 4)` (C)", forms({}, commands=(1, 2)),
     needs=lambda form: dict(with_identifier="small"), share=("all",), expect="identifiers run in their first byte (a warning)")
def identifier_host_order(n):
    return pack(dataclasses.replace(n, identifier=int.from_bytes(u32_little(n.identifier), "big")))


@bug("identifier-constant", "gives every notification one identifier", "`identifier = 1234`, `id => 0` (any language)",
     forms(dict(identifier=0), dict(identifier=1234), commands=(1, 2)), needs=lambda form: dict(with_identifier=True),
     share=("all",), expect="one identifier on several notifications of a connection")
def identifier_constant(n, identifier):
    return pack(dataclasses.replace(n, identifier=identifier))


@bug("payload-encoding", "encodes the payload as something else than UTF-8",
     "`new Buffer(json, 'utf16le')` (JavaScript), `Encoding.Unicode`, `new UTF8Encoding(true)` (C#), `utf8_encode` twice (PHP)",
     forms(*[dict(encoding=name) for name in ("utf-16-le", "utf-16-be", "utf-16", "utf-8-sig", "utf-8-twice", "latin-1")]),
     needs=lambda form: dict(script="latin", escaped=False, size=(30, 100)),
     expect="the payload is not UTF-8, has a byte-order mark, or its letters are encoded twice", kept=6)
def payload_encoding(n, encoding):
    text = n.payload.decode()
    if encoding == "utf-8-twice":
        return with_payload(n, n.payload.decode("latin-1").encode())
    return with_payload(n, text.encode(encoding))


@bug("payload-cut-character", "cuts a text inside a character", "`substr($alert, 0, 30)` (PHP), `alert[:n] + \"...\"` (Go)",
     forms(dict(behind=""), dict(behind="...")), needs=lambda form: FOREIGN | dict(plain_alert=True),
     expect="the payload is not UTF-8: a character is cut")
def payload_cut_character(n, behind):
    alert = n.content["aps"]["alert"]
    last = max((i for i, letter in enumerate(alert) if ord(letter) > 127), default=None)
    if last is None:
        return pack(n)
    whole = json.dumps(alert, ensure_ascii=False)[1:-1].encode()
    cut = json.dumps(alert[:last + 1], ensure_ascii=False)[1:-1].encode()[:-1]
    return with_payload(n, n.payload.replace(whole, cut + behind.encode(), 1))


@bug("payload-hand-made", "builds JSON by hand", "`\"{\\\"aps\\\":{\\\"alert\\\":\\\"\" + text + \"\\\"}}\"` (any language)",
     forms(*[dict(form=form) for form in ("trailing-comma", "single-quotes", "bare-key", "raw-newline", "raw-quote", "smart-quotes")]),
     needs=lambda form: dict(script="ascii", plain_alert=True), expect="the payload is not JSON", kept=6)
def payload_hand_made(n, form):
    text = n.payload.decode()
    alert = json.dumps(n.content["aps"]["alert"])[1:-1]
    return with_payload(n, {
        "trailing-comma": text[:-1] + ",}", "single-quotes": text.replace('"', "'"),
        "bare-key": text.replace('"aps"', "aps", 1), "raw-newline": text.replace(alert, alert + "\n", 1),
        "raw-quote": text.replace(alert, '"' + alert + '"', 1),
        "smart-quotes": text.replace('"', "\u201c", 1).replace('"', "\u201d", 1)}[form].encode())


@bug("token-empty", "sends a token that is none", "`pack('H64', token)` of a short text (Ruby), `\"(null)\"` (Objective-C)",
     forms(dict(form="zeros"), dict(form="padded"), dict(form="empty")), needs=lambda form: dict(token_size=32),
     expect="the token is empty, or all or half of it is zero", kept=6)
def token_empty(n, form):
    return pack(dataclasses.replace(n, token={"zeros": bytes(32), "padded": n.token[:16] + bytes(16), "empty": b""}[form]))


@bug("item-repeated", "writes an item twice", "a retry that appends to the buffer it filled before (any language)",
     forms(*[dict(item=item) for item in (1, 2, 5)], commands=(2,)), needs=lambda form: dict(with_priority=True),
     expect="an item stands twice")
def item_repeated(n, item):
    return pack(dataclasses.replace(n, items=n.items + (item,)))


@bug("payload-over-limit", "sends more than the limit", "no check, or one in characters (any language)",
     [((0, 1), dict(size=300)), (ANY, dict(size=2100)), ((2,), dict(size=5000))], expect="the payload is over the limit")
def payload_over_limit(n, size):
    padded = n.content | {"note": ""}
    return with_content(n, padded | {"note": "x" * max(size - len(dumps(padded)), 1)})


@bug("other-protocol", "speaks something else on the port", "a proxy in between, a capture that is not decrypted, the wrong port",
     forms(*[dict(form=form) for form in ("proxy-v1", "proxy-v2", "tls", "http-1", "http-2", "bare-json")]), whole=True,
     expect="another protocol's bytes: a PROXY header, TLS, HTTP or bare JSON", kept=6)
def other_protocol(rng, notifications, form):
    stream = joined(notifications)
    addresses = bytes([10, 0, 0, 1, 17, 188, 1, 2]) + u16(40000) + u16(2195)
    head = {"proxy-v1": b"PROXY TCP4 10.0.0.1 17.188.1.2 40000 2195\r\n",
            "proxy-v2": b"\r\n\r\n\0\r\nQUIT\n" + bytes([0x21, 0x11, 0, 12]) + addresses,
            "http-1": b"POST /3/device HTTP/1.1\r\nHost: gateway.push.apple.com\r\n\r\n",
            "http-2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]),
            "tls": b"\x16\x03\x01" + u16(80) + b"\x01\0\0\x4c\x03\x03" + rng.randbytes(74), "bare-json": b""}[form]
    body = {"tls": b"\x17\x03\x03" + u16(len(stream)) + rng.randbytes(len(stream)), "http-2": b"",
            "bare-json": b"\n".join(n.payload for n in notifications), "http-1": notifications[0].payload}.get(form, stream)
    return head + body, notifications, 0, 0 if form.startswith("proxy") else len(notifications), {}


@bug("feedback-off-by-one", "reads feedback from one byte too late or too early",
     "`socket.read(38)` behind a `read(1)` that looked for the end (Ruby)", forms(dict(form="first-byte-lost"), dict(form="byte-in-front")),
     whole=True, role="feedback", expect="feedback tuples that are shifted by one byte")
def feedback_off_by_one(rng, notifications, form):
    tuples = b"".join(feedback(n) for n in notifications)
    bad = tuples[1:] if form == "first-byte-lost" else b"\0" + tuples
    return bad, notifications, 0, 1, {}


def feedback(n):
    return u32(n.sent) + u16(len(n.token)) + n.token


@bug("error-response-wrong", "writes an error response that is none", "a simulator that writes 4 bytes, or the status first",
     forms(dict(form="short"), dict(form="status-first"), dict(form="without-command")), whole=True, role="gateway",
     expect="an error response that is cut, or begins with another byte than 8", kept=3)
def error_response_wrong(rng, notifications, form):
    status, identifier = rng.choice([1, 2, 4, 5, 7, 10]), u32(notifications[0].sent)
    rightly = error_response(notifications[0], status)
    bad = {"short": rightly[:rng.randint(1, 5)], "status-first": u8(status) + u8(8) + identifier,
           "without-command": rightly[1:]}[form]
    return bad, notifications[:1], 0, 1, dict(status=status)


def error_response(n, status):
    return u8(8) + u8(status) + u32(n.sent)


# Drawing notifications

SCRIPTS = {
    "ascii": "You have a new message from Anna today at the station please call back when ready order 4711 shipped".split(),
    "latin": "Grüße aus Köln: Ça va très bien, über die Straße zum Café señor São João på ø déjà naïve".split(),
    "greek": "Έχετε νέο μήνυμα από την Άννα σήμερα".split(),
    "cyrillic": "Привет у вас новое сообщение от Анны сегодня вечером заказ отправлен".split(),
    "arabic": "لديك رسالة جديدة من سارة اليوم".split(),
    "hebrew": "יש לך הודעה חדשה מאת דנה".split(),
    "hindi": "आपके पास एक नया संदेश है".split(),
    "thai": "คุณมีข้อความใหม่ วันนี้".split(),
    "chinese": "您有 一条 新消息 来自 小明 订单 已发货 推送通知".split(),
    "japanese": "新しい メッセージが 届きました お知らせ".split(),
    "korean": "새 메시지가 도착했습니다 오늘 주문".split(),
    "emoji": "🎉 👍🏽 👩‍👩‍👧 🇩🇪 ❤️ 😀 🚀".split(),
}
SCRIPTS["mixed"] = [word for words in SCRIPTS.values() for word in words[:3]]
FOREIGN_SCRIPTS = [name for name in SCRIPTS if name != "ascii"]
KEYS = {"id": (1, 10**6), "type": ["chat", "order", "news"], "url": ["app://item/17", "https://example.com/a"],
        "acme": [["bang", "whiz"], "foo"], "ref": [None, {"k": 3}]}


class Draw:
    """Draws the notifications of one stream: its sender's clock, habits and identifiers."""

    def __init__(self, rng, small):
        self.rng, self.small = rng, small
        self.sent = rng.randint(1356998400, 1577836800)  # 2013 to 2019
        self.identifier = rng.choice([1, 1, 100, rng.randint(1, 1 << 24), rng.randint(1 << 24, (1 << 32) - 1000)])
        self.separators = rng.choice([(",", ":"), (",", ":"), (", ", ": ")])
        self.lifetime = rng.choice([3600, 86400, 604800])
        self.items = rng.choice([(1, 2, 3, 4, 5)] * 3 + [(3, 1, 2, 4, 5), (1, 2, 5, 3, 4), (1, 2), (2, 1, 3), (1, 2, 3, 5)])

    def notification(self, command, script=None, size=None, token_size=None, escaped=None, with_badge=False,
                     with_expiry=None, with_priority=False, with_identifier=False, plain_alert=False, plain_items=False,
                     silent=False):
        rng = self.rng
        self.sent += rng.randint(0, 2)
        if with_identifier == "small" and self.identifier > 4096:
            self.identifier = rng.choice([0, 99])
        self.identifier += 1
        if script == "foreign":
            script = rng.choice(FOREIGN_SCRIPTS)
        script = script or rng.choice(["ascii"] * 5 + FOREIGN_SCRIPTS)
        escaped = size is None and rng.random() < 0.1 if escaped is None else escaped
        low, high = size or ((24, 70) if self.small else (40, 250))
        high = min(high, low + 46) if self.small else high
        while True:
            content = self.silent() if silent else self.content(SCRIPTS[script], low, with_badge, plain_alert)
            payload = dumps(content, self.separators, escaped)
            if silent or low <= len(payload) <= high:
                break
        size = token_size or (32 if self.small else rng.choice([32] * 40 + [40, 80, 100]))
        if size == "other":
            size = rng.choice([8, 16, 24, 31, 33, 40] if self.small else [0, 1, 6, 8, 16, 20, 30, 31, 33, 34, 40, 54, 64, 80, 100])
        expiry = rng.choice([0] + [self.sent + self.lifetime] * 5) if with_expiry is None else with_expiry and self.sent + with_expiry
        items = (1, 2, 3, 4, 5) if plain_items or silent else self.items
        for item, wanted in ((3, with_identifier), (4, with_expiry is not None), (5, with_priority)):
            if wanted and item not in items:
                items += (item,)
        two = command == 2
        return Notification(
            command, self.identifier if command == 1 or two and 3 in items else None,
            expiry if command == 1 or two and 4 in items else None, rng.randbytes(size), payload,
            (5 if silent else rng.choice([10, 10, 5])) if two and 5 in items else None, items if two else (), self.sent, content)

    def silent(self):
        return {"aps": {"content-available": 1}}

    def content(self, words, low, with_badge, plain_alert):
        rng = self.rng
        text = rng.choice(words)
        wanted = low * rng.uniform(0.9, 1.05) if low > 100 else rng.uniform(0.1, 1.1) * low - 30
        size = len(text.encode())
        while size < wanted or not self.small and len(text) < 4:
            more = rng.choice([" ", " ", ", "]) + rng.choice(words)
            text, size = text + more, size + len(more.encode())
        forms = [text, text, text, {"body": text}, {"title": rng.choice(words), "body": text},
                 {"loc-key": "MESSAGE_FORMAT", "loc-args": [text, rng.choice(words)]}]
        aps = {"alert": text if plain_alert or self.small else rng.choice(forms)}
        if with_badge or not self.small and rng.random() < 0.5:
            aps["badge"] = rng.randint(1, 99)
        if not self.small and rng.random() < 0.5:
            aps["sound"] = rng.choice(["default", "chime.aiff"])
        keys = {}
        for key in rng.sample(list(KEYS), 0 if self.small else rng.randint(0, 2)):
            values = KEYS[key]
            keys[key] = rng.randint(*values) if isinstance(values, tuple) else rng.choice(values)
        return {"aps": aps} | keys if rng.random() < 0.7 else keys | {"aps": aps}


# A case: a stream with its label

@dataclasses.dataclass
class Case:
    id: str
    cause: str
    also: list
    parameters: dict
    frame: int
    wrong: int
    meant: list
    affected: int
    untouched: list
    role: str
    expect: str
    stream: bytes
    repaired: bytes


def draw_case(rng, bug, command=None, form=None, small=False):
    """A stream that shows the bug, or None where that command cannot have it."""
    candidates = [each for each in ([form] if form else bug.forms) if command is None or command in each[0]]
    while candidates:
        case = attempt(rng, bug, command, rng.choice(candidates), small)
        if case:
            return case
    return None


def attempt(rng, bug, command, form, small):
    allowed, form = form
    draw = Draw(rng, small)
    pure = command if command is not None else rng.choice([None, *ANY])
    if pure is not None and pure not in allowed:
        pure = rng.choice(allowed)
    needs = bug.needs(form) if bug.needs else {}
    around = [1] if small else [0, 0, 1, 1, 2, 3, 4, 6, 9, 12]
    before, behind = rng.choice(around), rng.choice(around)
    share = "one" if small and "one" in bug.share else rng.choice(bug.share)
    count = before + 1 + behind
    bad = {"one": {before}, "all": set(range(count)),
           "several": set(rng.sample(range(count), rng.randint(2, count) if count > 1 else 1))}[share]
    if bug.whole:
        bad, share = set(), "stream"
        if bug.id == "repeated-batch":
            count = rng.randint(2, 3 if small else 6)
        elif small:
            count = 2

    # The largest payloads stand alone: one says as much as twelve.
    if form.get("type") == "signed-short":
        count, bad, share = min(count, 4), {min(count, 4) - 1}, "one"

    def good():
        while True:
            n = draw.notification(pure if pure is not None else rng.choice(ANY))
            if not bug.by_data or n.command not in allowed or bug.send(n, **form) == pack(n):
                return n

    notifications = []
    for index in range(count):
        if index in bad or bug.role != "provider":
            of = pure if pure in allowed else rng.choice(allowed)
            notifications.append(draw.notification(of, **needs))
        else:
            notifications.append(good())

    if bug.whole:
        stream, meant, frame, affected, extra = bug.send(rng, notifications, **form)
    else:
        packed = [bug.send(n, **form) if i in bad else pack(n) for i, n in enumerate(notifications)]
        hit = [i for i in range(count) if packed[i] != pack(notifications[i])]
        stream, meant, affected, extra = b"".join(packed), notifications, len(hit), {}
        frame = len(b"".join(packed[:hit[0]])) if hit else 0
        bad = set(hit)
    repaired = {"provider": joined, "feedback": lambda all: b"".join(map(feedback, all)),
              "gateway": lambda all: error_response(all[0], extra["status"])}[bug.role](meant)
    if stream == repaired or bug.id == "writers-interleaved" and affected == 0:
        return None
    if bug.id == "identifier-constant" and len({n.identifier for n in meant} - {None}) < 2:
        return None
    affected_ones = [meant[i] for i in sorted(bad)]
    commands = {n.command for n in meant}
    parameters = dict(commands=str(commands.pop()) if len(commands) == 1 else "mixed", share=share) | form | extra
    if not any(n.command == 2 for n in affected_ones) or parameters.get("place") == "frame":
        parameters.pop("frame", None)
    if bug.id.startswith("expiry"):
        parameters["sent"] = affected_ones[0].sent
    if affected_ones and bug.cause == "payload-length-in-characters":
        if all(characters(n.payload, "code-points") == characters(n.payload, "utf-16") for n in affected_ones):
            parameters["unit"] = "either"
    case = Case(bug.id, bug.cause, [], parameters, frame, common_prefix(stream, repaired), meant, affected,
                untouched(bug, stream, meant), bug.role, bug.expect, stream, repaired)
    case.also = also(case, affected_ones)
    return case


def common_prefix(a, b):
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low


def untouched(bug, stream, meant):
    """Where the frames that were meant stand whole in the stream; a batch that is repeated stands there often."""
    packed = list(map(pack, meant)) if bug.role == "provider" else list(map(feedback, meant)) if bug.role == "feedback" else []
    spans, cursor = [], 0
    for frame in packed * (len(meant) if bug.id == "repeated-batch" else 1):
        at = stream.find(frame, cursor)
        if at >= 0:
            spans.append((at, len(frame)))
            cursor = at + len(frame)
    return spans


# Which other bugs would have written the same bytes

def also(case, affected):
    """The other causes that account for these very bytes, be it with another notification in mind; `none` where a sender
    without a bug does."""
    if case.id == "expiry-milliseconds" and case.parameters["width"] == 8:
        return ["number-too-wide"]
    if case.id in ("payload-encoding", "payload-hand-made"):
        return ["payload-encoding", "payload-in-latin1", "payload-syntax"]
    if case.id == "expiry-milliseconds":
        return ["expiry-unit", "number-format"]  # of the lower four bytes, some are a time in another unit or byte order
    if case.id == "feedback-off-by-one":
        return ["byte-added", "byte-lost"]
    if case.role != "provider" or case.cause == "none":
        return []
    found, form = set(), case.parameters
    one = case.affected == 1
    summed = [n.command != 2 or form.get("frame") == "summed" for n in affected]
    if is_one_longer(case.repaired, case.stream):
        found.add("byte-added")
        # One byte of 0, 1 or 2 at the end is as well the start of a frame that the end of the stream cuts.
        if case.stream[:-1] == case.repaired and case.stream[-1] < 3:
            found.add("none")
    if is_one_longer(case.stream, case.repaired):
        found.add("byte-lost")
        if case.stream == case.repaired[:-1]:
            found.add("none")
    if case.id == "repeated-batch" and all(n.command == 0 or n.identifier is None for n in case.meant):
        found.add("none")  # the same texts for the same devices again: no identifier says that they are the same ones
    if case.id in ("byte-added", "byte-lost"):
        found |= also_of_one_byte(case)
    if case.id == "payload-length-in-characters" and one and all(summed):
        n = affected[0]
        if len(n.payload) - characters(n.payload, form["unit"].replace("either", "utf-16")) == 1:
            found.add("byte-added")  # to a payload one letter shorter
    if case.id.startswith("trailing"):
        tail = {"trailing-nul": b"\0"}.get(case.id) or {"lf": b"\n", "crlf": b"\r\n"}[form["end"]]
        uncounted = form["counted"] == "no" and (form["place"] == "payload" or all(n.command != 2 for n in affected))
        if uncounted and case.id == "trailing-newline" and all(is_count_of(len(n.payload), n.payload + tail) for n in affected):
            found.add("payload-length-in-characters")
        if form["counted"] == "yes" and case.id == "trailing-newline":
            found.add("none")  # white space behind the object: JSON allows it
    if case.id == "token-length-constant" and one and all(summed):
        found |= {31: {"byte-lost"}, 33: {"byte-added"}}.get(len(affected[0].token), set())
    if case.id == "token-as-hex-text" and form["declared"] == 32 and form["text"] != "half":
        found.add("token-length-constant")
    if case.id == "length-in-one-byte" and form["counts"] == "characters":
        found.add("payload-length-in-characters")  # both at once: each is half of the truth
    found |= same_number(case, affected)
    return sorted(found - {case.id})


def is_one_longer(short, long):
    return len(long) == len(short) + 1 and (at := common_prefix(short, long)) >= 0 and short[at:] == long[at + 1:]


def is_count_of(length, payload):
    try:
        json.loads(payload)
        return length in (characters(payload, "code-points"), characters(payload, "utf-16"))
    except ValueError:
        return False


def also_of_one_byte(case):
    """A byte of the token missing is a token of 31 bytes, one behind the payload may be a terminator, and so on."""
    found, offset, added = set(), 0, case.id == "byte-added"
    at = case.parameters["at"]
    for n in case.meant:
        frame = pack(n)
        token, payload = offset + frame.index(n.token), offset + frame.index(n.payload)
        if len(n.token) == 32:
            for place in range(token, token + 32 + added):
                if edit(case, place) == case.stream:
                    found.add("token-length-constant")
        if added:
            for end in {payload + len(n.payload), offset + len(frame)}:
                if edit(case, end) == case.stream and case.parameters["byte"] in ("00", "0a"):
                    found.add("trailing-nul" if case.parameters["byte"] == "00" else "trailing-newline")
            if payload <= at <= payload + len(n.payload):
                if is_count_of(len(n.payload), case.stream[payload:payload + len(n.payload) + 1]):
                    found.add("payload-length-in-characters")
        offset += len(frame)
    return found


def edit(case, place):
    if case.id == "byte-lost":
        return case.repaired[:place] + case.repaired[place + 1:]
    return case.repaired[:place] + bytes.fromhex(case.parameters["byte"]) + case.repaired[place:]


def same_number(case, affected):
    """Where two ways of getting the payload length wrong come to the same number."""
    lengths = {
        "payload-length-in-characters": lambda n: {characters(n.payload, "code-points"), characters(n.payload, "utf-16")},
        "length-in-one-byte": lambda n: {len(n.payload) % 256},
        "lengths-little-endian": lambda n: {int.from_bytes(u16_little(len(n.payload)), "big")},
        # Where the sign does not show, the signed byte is just one byte.
        "lengths-signed": lambda n: {len(n.payload) % 256 + 0xFF00} if len(n.payload) % 256 > 127 else set(),
    }
    if case.id not in lengths or case.parameters.get("fields", "payload-length") != "payload-length":
        return set()
    if case.parameters.get("type") == "signed-short" or any(n.command == 2 and case.parameters.get("frame") == "summed"
                                                            for n in affected):
        return set()
    declared = {n: int.from_bytes(BUGS[case.id].send(n, **send_form(case))[(p := pack(n)).index(n.payload) - 2:][:2], "big")
                for n in affected}
    return {other for other, count in lengths.items()
            if all(len(n.payload) not in count(n) and declared[n] in count(n) for n in affected)}


def send_form(case):
    parameters = {key: case.parameters.get(key) for key in BUGS[case.id].forms[0][1]}
    if parameters.get("unit") == "either":
        parameters["unit"] = "utf-16"
    if "frame" in parameters and parameters["frame"] is None:
        parameters["frame"] = "measured"
    return parameters


# Writing

COLUMNS = ["file", "cause", "also", "parameters", "frame", "wrong", "frames", "affected", "untouched", "role", "expect", "repaired"]


def write(cases, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "manifest.tsv", "w", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
        table.writerow(COLUMNS)
        for number, case in enumerate(cases):
            name = f"{number:04}-{case.id}"
            (folder / f"{name}.bin").write_bytes(case.stream)
            (folder / f"{name}.repaired.bin").write_bytes(case.repaired)
            table.writerow([
                f"{name}.bin", case.cause, ",".join(case.also), ";".join(f"{key}={value}" for key, value in case.parameters.items()),
                case.frame, case.wrong, len(case.meant), case.affected,
                ",".join(f"{at}+{size}" for at, size in case.untouched), case.role, case.expect, f"{name}.repaired.bin"])


def drawn(seed, count, only=None, command=None):
    """Streams in turn of their bugs, each drawn from the seed and its number alone."""
    chosen = [bug for bug in BUGS.values() if not only or bug.id in only]
    chosen = [bug for bug in chosen if command is None or any(command in each for each, _ in bug.forms)]
    for number in range(count if chosen else 0):
        yield draw_case(random.Random(f"{seed}/{number}"), chosen[number % len(chosen)], command)


def fixed():
    """A few short streams for each bug: its forms and the commands in turn."""
    for bug in BUGS.values():
        for number, (commands, form) in enumerate(bug.forms[:bug.kept]):
            if form.get("size", 0) > 300:
                continue  # too large to keep
            tries = (draw_case(random.Random(f"fixed/{bug.id}/{number}/{again}"), bug, commands[number % len(commands)],
                               (commands, form), small=True) for again in range(1000))
            # Where a form need not show, as code points need not beside UTF-16, one that does.
            yield next(case for case in tries if case.parameters.get("unit") == form.get("unit"))


README_HEAD = """# The zoo

Streams as broken senders write them, made by `../zoo.py --fixed`, which packs each of them with the sender's bug itself and
reads no frame. `zoo.py --seed N --count M --out DIR` draws any number of others; `zoo.py --check` looks for most of the bugs in
the bytes, with readers of its own, and compares what it finds with the labels.

`manifest.tsv` says of each stream:

| column | meaning |
|---|---|
| `file` | the bytes that were sent |
| `cause` | the id of the bug; `none` where a rule finds what is wrong, and no cause is to be named behind it |
| `also` | other ids that account for these very bytes, one of which is as good an answer; `none`: so does a sender without a bug |
| `parameters` | what was drawn: the commands of the stream, how many frames have the bug, the form of the bug |
| `frame` | the offset of the first bad frame |
| `wrong` | the offset of the first byte that is not as it should be: up to there `file` and `repaired` are the same |
| `frames` | how many frames the sender meant |
| `affected` | on how many of them the bug acted |
| `untouched` | offset+length of each frame that was meant and stands whole in the bytes, wherever it slid |
| `role` | who sent it: provider, gateway or feedback |
| `expect` | of `none`: what there is to find |
| `repaired` | the bytes that should have been sent |

A frame with a byte behind it that belongs to no frame is affected, and untouched all the same.

"""

README_TAIL = """
## What bytes cannot tell

| mistake | why |
|---|---|
| a length of two bytes in a signed type | below 32768 it is written rightly; above, the cast keeps the same 16 bits, or the language raises an error. It shows where such a length is widened: see `lengths-signed` |
| expiry before identifier, in command 1 | two numbers of four bytes; the order is plain to people only, from what the values could mean |
| identifiers in another byte order, when they are random | the field is opaque |
| a token of the sandbox, or of another app | the token is 32 random bytes either way |
| expiry 0, or no expiry, by accident | it is legal, and means: do not store |
| an expiry that overflowed or is in milliseconds, without a time beside it | any four bytes are a date |
| the reply not read, status 10 taken for a refusal | nothing of it is in the provider's bytes; a capture of both directions tells |
| a limit applied to the whole message, to characters or one byte early | what was sent is right; what was not sent is not there |
| a token that lost a half, or was padded with other bytes than zeros, in hex decoding | the result is a token |
| a token cut by `trim` on reading | the same |
| a buffer too small, beyond which nothing was read or written | if the bytes are right, it did not matter |
| feedback taken as \"delete\" without looking at the time, status bytes read as signed | on the reading side |
| frames split or merged by TCP | no mistake: a stream has no message borders |
| text cut between characters, or inside a letter of several code points | the payload is good JSON |

## What bytes cannot tell apart

| bug | and | when |
|---|---|---|
| `byte-lost`, `byte-added` | `token-length-constant` | the byte is one of the token's, and the frame length does not say otherwise: a token of 31 or 33 bytes would have been written so |
| `byte-added` | `trailing-nul`, `trailing-newline` | the byte is 00 or 0A, and stands where payload or frame ends |
| `byte-added` | `payload-length-in-characters` | there is one character of two bytes: the count is short by one, as if a letter had been put into the text |
| `token-as-hex-text` | `token-length-constant` | 32 is declared and 64 digits are sent: the token's size is wrong, and its form |
| `length-in-one-byte` | `payload-length-in-characters` | one byte of a count of characters: both are true |
| `trailing-newline` | none | it is counted: JSON allows white space behind the object |
| `byte-added`, `trailing-nul`, `byte-lost` | none | at the very end of the stream, which may just have been cut there |
| `lengths-signed` | `length-in-one-byte` | the byte's sign bit is 0; then the stream is labelled `length-in-one-byte` |
| `repeated-batch` | none | no frame has an identifier, and no clock says when each was sent: the same texts may go to the same devices again. Otherwise, that the batch was sent as often as it has frames speaks for the bug |
"""


def readme():
    def table(head, bugs):
        lines = [f"| {head} | the sender | typical of | streams |", "|---|---|---|---|"]
        count = {}
        for case in fixed():
            count[case.id] = count.get(case.id, 0) + 1
        cell = lambda text: text.replace("|", "\\|")
        return "\n".join(lines + [f"| `{bug.id}` | {cell(bug.says)} | {cell(bug.idiom)} | {count[bug.id]} |" for bug in bugs]) + "\n"

    bugs = BUGS.values()
    return (README_HEAD + "## Bugs with a name\n\n" + table("cause", [bug for bug in bugs if not bug.expect])
            + "\n## Contents that a rule finds\n\n" + table("in the file's name", [bug for bug in bugs if bug.expect]) + README_TAIL)


def main():
    parser = argparse.ArgumentParser(description="Draws streams as broken senders pack them, with labels.")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", type=lambda text: text.split(","), help="ids, separated by commas")
    parser.add_argument("--command", type=int, choices=ANY)
    parser.add_argument("--fixed", action="store_true", help="write the committed set to zoo/")
    parser.add_argument("--check", action="store_true", help="check that the labels are honest")
    options = parser.parse_args()
    unknown = [id for id in options.only or [] if id not in BUGS]
    if unknown:
        parser.error(f"no such id: {', '.join(unknown)}; there are {', '.join(BUGS)}")
    if options.fixed:
        write(fixed(), HERE / "zoo")
        (HERE / "zoo" / "README.md").write_text(readme())
    elif options.check:
        import zoo_check
        zoo_check.main(list(fixed()) + list(drawn(options.seed, options.count, options.only, options.command)))
    elif options.out:
        write(drawn(options.seed, options.count, options.only, options.command), options.out)
    else:
        parser.error("give --out DIR, --fixed or --check")


if __name__ == "__main__":
    main()
