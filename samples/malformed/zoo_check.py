"""Checks the zoo: a strict decoder for the repaired streams, and for each bug a reader that looks for it in the bytes.

The readers answer one question: could a sender with this bug, and with no other, have written this very stream? Where one
says yes, the label must name that bug, as the cause or under `also`; where the label names a bug, its reader must say yes.
There is no reader for fields out of order, for a batch repeated and for writers interleaved; bytes lost and added are looked
for in streams of up to 900 bytes, or where they are the label.
"""
import collections
import json
import string

import zoo


# The strict decoder

def decode(stream):
    """(command, identifier, expiry, token, payload, priority) of each frame; ValueError where a byte is out of place."""
    at, frames = 0, []

    def take(count):
        nonlocal at
        if at + count > len(stream):
            raise ValueError(f"the stream ends within a field at {at}")
        at += count
        return stream[at - count:at]

    def number(width):
        return int.from_bytes(take(width), "big")

    while at < len(stream):
        command = number(1)
        identifier = expiry = priority = None
        if command > 2:
            raise ValueError(f"command {command} at {at - 1}")
        if command == 1:
            identifier, expiry = number(4), number(4)
        if command < 2:
            token = take(number(2))
            payload = take(number(2))
        else:
            end, items = number(4), {}
            end += at
            while at < end:
                id = number(1)
                data = take(number(2))
                if id in items or not 1 <= id <= 5 or id > 2 and len(data) != (1 if id == 5 else 4):
                    raise ValueError(f"item {id} before {at}")
                items[id] = data
            if at != end or not {1, 2} <= items.keys():
                raise ValueError(f"the frame does not end at {end}, or lacks an item")
            token, payload = items[1], items[2]
            identifier, expiry, priority = (int.from_bytes(items[i], "big") if i in items else None for i in (3, 4, 5))
        json.loads(payload.decode())
        frames.append((command, identifier, expiry, token, payload, priority))
    return frames


def intended(n):
    return (n.command, n.identifier, n.expiry, n.token, n.payload, n.priority)


# Readers of bugs: where a frame that begins at a place may end

def object_end(stream, start):
    """The end of the JSON object that begins here, if one does."""
    depth, quoted, at = 0, False, start
    if stream[start:start + 1] != b"{":
        return None
    while at < len(stream):
        byte = stream[at]
        if quoted:
            at += byte == 0x5C
            quoted = byte != 0x22
        elif byte == 0x22:
            quoted = True
        elif byte in b"{[":
            depth += 1
        elif byte in b"}]":
            depth -= 1
            if depth == 0:
                return at + 1 if is_object(stream[start:at + 1]) else None
        at += 1
    return None


def is_object(payload):
    try:
        return isinstance(json.loads(payload.decode()), dict)
    except ValueError:
        return False


def counts(payload):
    text = payload.decode()
    return {len(text), len(text.encode("utf-16-le")) // 2}


NO_TAIL = [b""]
ENDS = {"trailing-nul": [b"\0"], "trailing-newline": [b"\n", b"\r\n"]}


def payload_spans(stream, at, declared, bug):
    """(bytes read, bytes claimed, a lie) of a payload with this declared length."""
    if is_object(stream[at:at + declared]) and at + declared <= len(stream):
        yield declared, declared, False
        for end in ENDS.get(bug, []):
            if stream[at + declared:].startswith(end):
                yield declared + len(end), declared, True
            if stream[at:at + declared].endswith(end):
                yield declared, declared, True
    elif bug == "trailing-nul" and stream[at:at + declared][-1:] == b"\0" and is_object(stream[at:at + declared - 1]):
        yield declared, declared, True
    end = object_end(stream, at)
    # White space behind the object counts as well.
    for size in [end - at + more for more in range(3) if not stream[end:end + more].strip()] if end else []:
        lies = {
            "payload-length-in-characters": declared != size and declared in counts(stream[at:at + size]),
            "length-in-one-byte": size > 255 and declared in {each % 256 for each in {size} | counts(stream[at:at + size])
                                                              if each > 255},
            "lengths-little-endian": declared != size and declared == (size & 255) << 8 | size >> 8,
            "lengths-signed": size % 256 > 127 and declared == size % 256 + 0xFF00,
        }
        if lies.get(bug):
            yield size, declared, True


DIGITS = set(string.hexdigits.encode())


def is_hex_text(token):
    """Hex digits; but for what stands between, around or behind them in the forms that people send."""
    return len(DIGITS & set(token)) > 3 and set(token) <= DIGITS | set(b" <>\0\n")


TOKENS = (32, 40, 54, 64, 80, 100)


def token_spans(stream, at, declared, bug, command):
    """(bytes read, a lie) of a token with this declared length. A token that holds JSON is none."""
    text = bug == "token-as-hex-text" and is_hex_text(stream[at:at + declared])
    spans = [(declared, text)] if declared in TOKENS or text else []
    if bug == "token-length-constant" and declared == 32 and not fits(stream, at + 32, command):
        spans += [(size, True) for size in range(101) if size != 32]
    if bug == "token-as-hex-text" and declared == 32:
        spans += [(size, True) for size in (64, 65) if is_hex_text(stream[at:at + size])]
    return [span for span in spans if at + span[0] <= len(stream) and b'{"' not in stream[at:at + span[0]]]


def fits(stream, at, command):
    """Whether what may follow a token stands here: the head of an item, or the payload's length and a brace."""
    head = stream[at:at + 3]
    if command < 2:
        return head[2:] == b"{" and head[0] < 8
    return len(head) == 3 and 1 < head[0] < 6 and head[1] < 8 and (head[0] == 2 or head[2] in (1, 4))


def ends(stream, start, bug=None):
    """(end, whether the bug shows) for each reading of the frame that begins here."""
    if start >= len(stream):
        return
    command, little = stream[start], bug == "lengths-little-endian"

    def number(at, width, order="big"):
        return int.from_bytes(stream[at:at + width], order) if at + width <= len(stream) else 1 << 32

    orders = ["big", "little"] if little else ["big"]
    if command < 2 or bug == "enhanced-fields-behind-command-0" and command == 0:
        heads = [(1 if command == 0 else 9, False)]
        if bug == "enhanced-fields-behind-command-0" and command == 0:
            heads.append((9, True))
        for head, lie in heads:
            for order in orders:
                at = start + head
                for token, token_lie in token_spans(stream, at + 2, number(at, 2, order), bug, command):
                    length = at + 2 + token
                    if order == "little":
                        size = number(length, 2, order)
                        if is_object(stream[length + 2:length + 2 + size]):
                            yield length + 2 + size, True
                        continue
                    for size, _, payload_lie in payload_spans(stream, length + 2, number(length, 2), bug):
                        yield length + 2 + size, lie or token_lie or payload_lie
    if command == 2:
        for order in orders:
            claimed = number(start + 1, 4, order)
            todo = [(start + 5, 0, frozenset(), order == "little")]
            while todo:
                at, sum, seen, lie = todo.pop()
                written = at - start - 5
                if {1, 2} <= seen:
                    lied = {"frame-length-without-headers": claimed == written - 3 * len(seen),
                            "frame-length-with-header": claimed == written + 5}.get(bug, False)
                    # What was not counted may be so in the frame length, too; what was not written, hardly.
                    if lied or claimed == written or lie and claimed == sum % (1 << 32):
                        yield at, lie or lied
                    for end in ENDS.get(bug, []):
                        if claimed == written and stream[at:].startswith(end):
                            yield at + len(end), True
                id, declared, data = number(at, 1), number(at + 1, 2, order), at + 3
                if id in seen or not 1 <= id <= 5 or at >= len(stream):
                    continue
                if id == 1:
                    spans = [(size, declared, it) for size, it in token_spans(stream, data, declared, bug, 2)]
                elif id == 2:
                    spans = payload_spans(stream, data, declared, bug)
                else:
                    right = 1 if id == 5 else 4
                    spans = [(right, right, False)] if declared == right else []
                    if id == 5 and declared == 4 and bug == "priority-length-four":
                        spans = [(1, 4, True)]
                    if id == 5 and stream[data:data + 1] not in (b"\x05", b"\x0a"):
                        spans = []
                for size, counted, it in spans:
                    signed = counted - 65536 if bug == "lengths-signed" and counted > 32767 else counted
                    if data + size <= len(stream):
                        todo.append((data + size, sum + 3 + signed, seen | {id}, lie or it))


def ends_after_edit(stream, start, bug):
    """As `ends`, with one byte taken out, or one put in."""
    reach = min(start + 450, len(stream))
    if bug == "byte-added":
        for at in range(start, reach):
            for end, _ in ends(stream[start:at] + stream[at + 1:], 0):
                if start + end + 1 > at:
                    yield start + end + 1
        return
    some = bytes(range(6)) + b'\n (Pda"{}:,[]1\\'
    for at in range(start, reach + 1):
        near = at - start < 6 or b"{" in stream[at:at + 2] or stream[at:at + 1] > b"\x7f" or stream[at - 1:at] > b"\x7f"
        for byte in range(256) if near else some:
            for end, _ in ends(stream[start:at] + bytes([byte]) + stream[at:reach + 4000], 0):
                if start + end - 1 >= at:
                    yield start + end - 1


def explains(stream, bug):
    """Whether frames that are right, and at least one frame with this bug, make up the whole stream."""
    todo, seen = [(0, False)], set()
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        at, used = state
        if at == len(stream) and used:
            return True
        if bug.startswith("byte-"):
            rightly = [(end, used) for end, _ in ends(stream, at)]
            todo += rightly
            if not used and not rightly:
                todo += [(end, True) for end in ends_after_edit(stream, at, bug)]
        else:
            todo += [(end, used or lie) for end, lie in ends(stream, at, bug)]
    return False


READABLE = ["payload-length-in-characters", "length-in-one-byte", "lengths-little-endian", "lengths-signed", "token-as-hex-text",
            "token-length-constant", "frame-length-without-headers", "frame-length-with-header", "priority-length-four",
            "trailing-nul", "trailing-newline", "enhanced-fields-behind-command-0", "byte-added", "byte-lost"]


# The checks

def problems(case):
    """What is wrong with the label of a case."""
    if case.role == "provider":
        if decode(case.repaired) != list(map(intended, case.meant)):
            yield "the repaired stream is not what was meant"
        if case.cause != "none" and case.cause not in HARMLESS and "none" not in case.also and reads_alike(case):
            yield "the stream reads as what was meant"
    if case.stream[:case.wrong] != case.repaired[:case.wrong]:
        yield "bytes differ before the first wrong one"
    if case.wrong < min(len(case.stream), len(case.repaired)) and case.stream[case.wrong] == case.repaired[case.wrong]:
        yield "the first wrong byte is right"
    if case.wrong < case.frame and case.id != "other-protocol":
        yield "the first wrong byte stands before the bad frame"
    last = 0
    for at, size in case.untouched:
        if at < last or case.role == "provider" and decode(case.stream[at:at + size])[0] not in map(intended, case.meant):
            yield f"no untouched frame at {at}"
        last = at + size


HARMLESS = {"trailing-newline"}  # counted in, it is JSON's own white space


def reads_alike(case):
    try:
        return decode(case.stream) == list(map(intended, case.meant))
    except ValueError:
        return False


def unlike(case):
    """Where the readers disagree with the label."""
    for bug in READABLE:
        if bug.startswith("byte-") and len(case.stream) > 900 and bug != case.cause:
            continue  # trying each byte anywhere takes long
        if bug == "byte-lost" and case.cause == bug and len(case.stream) > 900:
            continue
        read = explains(case.stream, bug)
        if read and bug != case.cause and bug not in case.also:
            yield f"reads as {bug}, too"
        if not read and (bug == case.cause and case.parameters.get("type") != "signed-short"):
            yield f"its own reader does not see {bug}"


def main(cases):
    bad, seen, also = 0, collections.Counter(), collections.Counter()
    for number, case in enumerate(cases):
        seen[case.id] += 1
        also.update((case.cause, other) for other in case.also)
        found = list(problems(case))
        if case.role == "provider" and len(case.stream) < 20000:
            found += unlike(case)
        for problem in found:
            bad += 1
            print(f"{number} {case.id} {case.parameters} also={case.also}: {problem}")
    for (cause, other), count in sorted(also.items()):
        print(f"{count:5} of {seen[cause]:5} {cause} may be called {other}")
    print(f"{len(cases)} streams of {len(seen)} bugs checked, {bad} problems")
    if bad:
        raise SystemExit(1)
