#!/usr/bin/env python3
"""Run apnscope and every yardstick that is installed, in turn, and print ratios: absolute times mean little on a shared
machine, and ratios of runs taken side by side do.

compare.py [--rounds N] [--frames N] [--only WORD] [--growth N] [--write FILE]

A ratio is our time over the yardstick's, or their frames a second under ours, as each row says; of all rounds the median
is given, with the least and the greatest. Whole processes are timed, start and end included.
"""
import argparse
import datetime
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "Tests", "Bench", "yardsticks")
WORK = os.path.join(ROOT, ".build-bench")
APNSCOPE = os.path.join(ROOT, ".build", "release", "apnscope")
MAKER = os.path.join(ROOT, ".build", "release", "apnscope-bench")


def run(command):
    """Seconds and peak memory in bytes, of the largest process where there are several."""
    start = time.monotonic()
    process = subprocess.Popen(["/bin/sh", "-c", "exec " + command if "|" not in command else command],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"compare.py: status {process.returncode} from: {command}")
    return seconds, usage.ru_maxrss * 1024


def made(name, *arguments):
    """An input, made once."""
    path = os.path.join(WORK, name)
    if not os.path.exists(path):
        with open(path + ".part", "wb") as file:
            subprocess.run([MAKER, "make", *map(str, arguments)], stdout=file, check=True)
        os.rename(path + ".part", path)
    return path


def limit():
    """The yardstick in C++, where its compiler and simdjson are."""
    binary, source = os.path.join(WORK, "limit"), os.path.join(HERE, "limit.cpp")
    if not shutil.which("g++"):
        return None
    if not os.path.exists(binary) or os.path.getmtime(binary) < os.path.getmtime(source):
        build = ["g++", "-O3", "-march=native", "-std=c++17", source, "-o", binary, "-lsimdjson"]
        if subprocess.run(build, stderr=subprocess.DEVNULL).returncode:
            return None
    return binary


class Row:
    """A job of ours beside another's. The figure is a ratio of times, or of frames a second where `rates`."""

    def __init__(self, job, ours, frames, theirs, their_frames, name, bar, aim, rates=False):
        self.job, self.ours, self.theirs, self.name = job, ours, theirs, name
        self.scale = frames / their_frames
        self.bar, self.aim, self.rates = bar, aim, rates

    def measure(self, rounds):
        pairs = [(run(self.ours)[0], sum(run(command)[0] for command in self.theirs)) for _ in range(rounds)]
        ratios = [self.scale * b / a if self.rates else a / b / self.scale for a, b in pairs]
        middle = statistics.median(ratios)
        reached = middle >= self.bar if self.rates else middle <= self.bar
        return (f"| {self.job} | {statistics.median(a for a, _ in pairs):.3f} s | {self.name} | "
                f"**{middle:.2f} x** ({min(ratios):.2f} to {max(ratios):.2f}) | {self.bar:g} x | {self.aim:g} x | "
                f"{'yes' if reached else 'no'} |")


def rows(frames):
    few = max(frames // 50, 1000)
    clean, advice, damaged = (made(f"{p}-{frames}.raw", p, frames) for p in ("clean", "advice", "damaged"))
    capture = made(f"clean-{frames}-8.pcap", "clean", frames, 8)
    small_capture = made(f"clean-{few}-8.pcap", "clean", few, 8)
    check = f"{APNSCOPE} check -q --from raw "
    cpp, python = limit(), f"{sys.executable} {HERE}/struct_peer.py "
    tshark = f"tshark -X lua_script:{HERE}/apns.lua -r {small_capture} "
    if cpp:
        yield Row("`check`, clean stream", check + clean, frames, [f"{cpp} {clean}"], frames, "C++ and simdjson", 1, .6)
        yield Row("`check`, mixed stream (advice)", check + advice, frames, [f"{cpp} {advice}"], frames,
                  "C++ and simdjson", 1.5, 1)
        if shutil.which("tcpdump"):
            yield Row("`check`, capture of 8 connections", f"{APNSCOPE} check -q {capture}", frames,
                      [f"{cpp} {clean}", f"tcpdump -r {capture} -w /dev/null"], frames,
                      "the same, then tcpdump's copy", 1, .7)
    if shutil.which("tshark"):
        yield Row("`-T ndjson`, capture", f"{APNSCOPE} -q -T ndjson {capture}", frames, [tshark + "-T ek"], few,
                  "tshark -T ek, Lua", 50, 100, rates=True)
        yield Row("`-T tree`, capture", f"{APNSCOPE} -q -T tree {capture}", frames, [tshark + "-V"], few,
                  "tshark -V, Lua", 20, 50, rates=True)
    yield Row("`-T ndjson \\| encode -T raw`", f"{APNSCOPE} -q --from raw -T ndjson {clean} | {APNSCOPE} encode -T raw",
              frames, [python + clean], frames, "Python, struct and json", 4, 8, rates=True)
    yield Row("`check`, damaged against clean", check + damaged, frames, [check + clean], frames, "ourselves", 3, 2)


def growth(largest):
    """Time and peak memory as work grows."""
    yield "| input | time | a frame | peak memory |"
    yield "|---|---|---|---|"
    size = 10_000
    while size <= largest:
        for profile in ("clean", "damaged"):
            path = made(f"{profile}-{size}.raw", profile, size)
            yield line(f"{size:,} frames, {profile}, raw", f"{APNSCOPE} check -q --from raw {path}", size)
        size *= 10
    for connections in (1, 100, 10_000):
        path = made(f"clean-1000000-{connections}.pcap", "clean", 1_000_000, connections)
        yield line(f"1,000,000 frames, clean, capture of {connections:,}", f"{APNSCOPE} check -q {path}", 1_000_000)
    yield line("1 frame, start to finish", f"{APNSCOPE} -q --hex 080800000007", 1)


def line(name, command, frames):
    runs = [run(command) for _ in range(7 if frames <= 100_000 else 3)]
    seconds = statistics.median(s for s, _ in runs)
    return (f"| {name} | {seconds:.3f} s | {seconds / frames * 1e9:,.0f} ns | "
            f"{max(memory for _, memory in runs) / 2**20:.1f} MiB |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--only", metavar="WORD", default="", help="only jobs with this in their name")
    parser.add_argument("--growth", type=int, metavar="FRAMES", help="time and memory up to so many frames, too")
    parser.add_argument("--write", metavar="FILE", help="write the tables there, too")
    options = parser.parse_args()
    os.makedirs(WORK, exist_ok=True)
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    text = [f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, {swift}.",
            f"{options.frames:,} frames; the median of {options.rounds} rounds, and their spread.", "",
            "| job | ours | beside | ratio | bar | aim | bar reached |", "|---|---|---|---|---|---|---|"]
    print("\n".join(text), flush=True)

    def say(more):
        text.append(more)
        print(more, flush=True)

    for row in rows(options.frames):
        if options.only in row.job:
            say(row.measure(options.rounds))
    if options.growth:
        say("")
        for more in growth(options.growth):
            say(more)
    if options.write:
        with open(options.write, "w") as file:
            file.write("\n".join(["# Measured", "", *text]) + "\n")


main()
