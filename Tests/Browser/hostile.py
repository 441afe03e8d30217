"""Makes input that tries to break out of a page: notifications as raw bytes."""

import json
import struct

FLAG = "window.broken=1"
PAYLOADS = [
    '{"aps":{"alert":"<img src=x onerror=window.broken=1>"}}',
    '{"aps":{"alert":"<script>window.broken=1</script>"}}',
    '{"aps":{"alert":"</script><script>window.broken=1</script>"}}',
    '{"aps":{"alert":"<!-- <script> "},"</script>":"-->"}',
    '{"aps":{"alert":"</script x"}}',
    '{"aps":{"alert":"<!--<script x"}}',
    '{"aps":{"alert":"]]><svg onload=window.broken=1>"}}',
    '{"aps":{"alert":"\u202egnp.exe\u2066\u200b\ufeff\u2028\u2029"}}',
    '{"aps":{"alert":"\\u0000\\u001b[31m"},"__proto__":{"broken":1},"constructor":{"prototype":1}}',
    "\x1b]0;title\x07\x00\x7f\x9b",
    '{"aps":{"alert":"javascript:window.broken=1","sound":"\' onmouseover=window.broken=1 \'\\""}}',
    "[" * 3000 + "]" * 3000,
    '{"aps":{"badge":123456789012345678901234567890e400}}',
    '{"aps":{"alert":"${window.broken=1}{{window.broken=1}}"}}',
]


def notification(payload, identifier, token=bytes(range(32))):
    """A frame of command 1."""
    return struct.pack(">BIIH", 1, identifier, 1384819200, len(token)) + token + struct.pack(">H", len(payload)) + payload


def stream():
    """One frame for each payload, and others that are no text or no frame."""
    frames = [notification(text.encode("utf-8", "surrogatepass"), number) for number, text in enumerate(PAYLOADS)]
    frames.append(notification(b'{"aps":{"alert":"\xff\xfe\xc0\xaf\xed\xa0\x80"}}', 100))
    frames.append(notification(b'{"a":"' + b"x" * 60_000 + b'"}', 101))
    # Cut in the middle of a character wherever characters of two bytes begin.
    for number, start in [(103, ""), (104, "x")]:
        frames.append(notification(('{"a":"' + start + "\u00e9" * 1000 + '"}').encode(), number))
    frames.append(notification(json.dumps({"k%d" % n: n for n in range(4000)}).encode(), 102))
    return b"".join(frames) + b"<script>window.broken=1</script>"
