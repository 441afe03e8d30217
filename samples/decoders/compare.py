#!/usr/bin/env python3
"""How soon each planted bug is found: by apnscope fuzz, by zzuf, and by plain random mutation. Prints the table of README.md.

    compare.py [SEEDS] [SECONDS]      5 seeds, at most 60 s each

apnscope has to be in PATH; gcc, python3, node and zzuf where they are installed. apnscope's time ends when the first case
is on disk, and what it has made of it when the run is over counts; the time of the others ends when the first crash or
time-out is seen, on a case that is as it is.
"""

import glob
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
MOST = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
TIMEOUT = 1.0


def apnscope(command, seed, frame):
    """Seconds and runs until a case is kept, and the bytes of the smallest one at the end."""
    began = time.monotonic()
    process = subprocess.Popen(
        ["apnscope", "fuzz", "--seed", str(seed), "--time", str(MOST), "--timeout", str(TIMEOUT), "--out", "kept", "--"]
        + command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not glob.glob("kept/*.txt"):
        time.sleep(0.01)
    seconds = time.monotonic() - began
    process.communicate()
    if not os.path.isdir("kept"):
        return None
    cases = []
    for path in glob.glob("kept/*.txt"):
        with open(path) as file:
            cases.append(int(re.search(r"case (\d+) of", file.read())[1]))
    case = min(cases)
    size = min(os.path.getsize(path) for path in glob.glob("kept/*.bin") if not path.endswith(".case.bin"))
    shutil.rmtree("kept")
    return seconds, case + 1, size


def first_failure(command, inputs):
    """Seconds, runs and bytes until a run crashes or does not end."""
    began = time.monotonic()
    for runs, data in enumerate(inputs, 1):
        if time.monotonic() - began > MOST:
            return None
        with open("input.bin", "wb") as file:
            file.write(data)
        try:
            with open("input.bin", "rb") as file:
                status = subprocess.run(
                    [word.replace("@@", "input.bin") for word in command], stdin=file, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL, timeout=TIMEOUT).returncode
        except subprocess.TimeoutExpired:
            status = -9
        if status < 0:
            return time.monotonic() - began, runs, len(data)


def zzuf(command, seed, frame):
    """It flips 0.1 to 2 % of the bits of the frame. It only makes the inputs: node does not run under it."""
    def inputs():
        first = seed * 1_000_000
        while True:
            made = subprocess.run(
                ["zzuf", "-s", f"{first}:{first + 200}", "-r", "0.001:0.02", "cat", "frame.bin"], capture_output=True,
                check=True).stdout
            yield from (made[start:start + len(frame)] for start in range(0, len(made), len(frame)))
            first += 200

    with open("frame.bin", "wb") as file:
        file.write(frame)
    return first_failure(command, inputs())


def plain(command, seed, frame):
    """One to eight bytes of the frame become any others."""
    def inputs():
        chance = random.Random(seed)
        while True:
            data = bytearray(frame)
            for _ in range(chance.randint(1, 8)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            yield data

    return first_failure(command, inputs())


def shown(results, why):
    found = [result for result in results if result]
    if not found:
        return why
    seconds, runs, size = (statistics.median(result[part] for result in found) for part in range(3))
    text = f"{seconds:.1f} s, {runs:.0f} runs, {size:.0f} bytes"
    return text if len(found) == len(results) else f"{text} ({len(found)} of {len(results)} seeds)"


def main():
    decoders = [
        ("C: a length trusted", "gcc", ["./decoder"], True),
        ("JavaScript: an endless loop", "node", ["node", HERE + "/decoder.js"], True),
        ("Python: characters counted", "python3", ["python3", HERE + "/decoder.py", "@@"], False),
    ]
    os.chdir(tempfile.mkdtemp())
    if shutil.which("gcc"):
        subprocess.run(
            ["gcc", "-O2", "-D_FORTIFY_SOURCE=2", "-o", "decoder", HERE + "/decoder.c"], check=True)
    print("| bug | apnscope fuzz | zzuf | random bytes |\n|---|---|---|---|", flush=True)
    for name, tool, command, is_seen in decoders:
        cells = [name]
        for fuzzer, runs in [("apnscope", apnscope), ("zzuf", zzuf), ("python3", plain)]:
            if not shutil.which(tool) or not shutil.which(fuzzer):
                cells.append("not installed")
                continue
            # A wrong verdict is none that these can see: one round is enough to show it.
            seeds = range(1, SEEDS + 1) if is_seen or runs is apnscope else [1]
            results = []
            for seed in seeds:
                frame = bytes.fromhex(subprocess.run(
                    ["apnscope", "mutate", "-n", "1", "--seed", str(seed), "--mutator", "as-it-is-notification", "-T", "hex"],
                    check=True, capture_output=True, text=True).stdout)
                results.append(runs(command, seed, frame))
            cells.append(shown(results, f"not within {MOST:.0f} s" + ("" if is_seen else ": no verdict is known")))
        print("| " + " | ".join(cells) + " |", flush=True)


main()
