#!/usr/bin/env python3
"""Where the time of a build goes: seconds of every compile by part of the project, from the log that Ninja keeps.

  ./test.sh -N && src/cmake/build_times.py [build/release]

Of a tree that was built from nothing on an idle machine: a compile that was repeated counts once, with its last time, and one that had to
wait for a core counts its waiting.
"""
import collections
import re
import sys
from pathlib import Path

PARTS = [  # the first that matches an output; \1 is the folder
    (r"src/CMakeFiles/dbandit_kernel\.dir/targets/", "the instruction sets"),
    (r"\.gch$|src/CMakeFiles/dbandit_headers", "precompiled headers"),
    (r"src/CMakeFiles/dbandit\.dir/", "cli"),
    (r"src/CMakeFiles/dbandit_([a-z]+)\.dir/", r"\1"),
    (r"src/(python|examples)/", r"\1"),
    (r"tests/.*CMakeFiles/test_([a-z]+?)(?:_slow)?\.dir/", r"tests of \1"),
    (r"bench/", "bench"),
    (r"_verify_interface_header_sets", "headers alone"),
]


def part_of(output):
    for pattern, name in PARTS:
        if found := re.search(pattern, output):
            return found.expand(name)
    return "others"


rows = [line.rstrip("\n").split("\t") for line in (Path(*sys.argv[1:2] or ["build/release"]) / ".ninja_log").read_text().splitlines()[1:]]
compiles = {output: (int(end) - int(start)) / 1000 for start, end, _, output, _ in rows if output.endswith((".o", ".gch"))}
seconds, files = collections.Counter(), collections.Counter()
for output, time in compiles.items():
    seconds[part_of(output)] += time
    files[part_of(output)] += 1
for part, time in seconds.most_common():
    print(f"{part:24} {files[part]:4} files {time:7.1f} s")
print(f"{'all':24} {sum(files.values()):4} files {sum(seconds.values()):7.1f} s")
