#!/usr/bin/env python3
"""CPU seconds of every compile, which unlike wall time mean something on a machine that others use too.

As a compiler launcher it appends a line for each output to the file that CPU_TIME names; alone it prints that file by folder:

  export CPU_TIME=/tmp/cpu_time
  cmake --preset release --fresh -DCMAKE_CXX_COMPILER_LAUNCHER=$PWD/src/cmake/cpu_time.py -DDBANDIT_PRECOMPILED=ON -DDBANDIT_BUILD_TESTS=OFF
  ninja -C build/release dbandit && src/cmake/cpu_time.py
"""
import collections
import os
import re
import sys


def launch(command):
    pid = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(pid, 0)
    output = command[command.index("-o") + 1] if "-o" in command else "?"
    with open(os.environ["CPU_TIME"], "a") as log:
        log.write(f"{usage.ru_utime + usage.ru_stime:.2f} {output}\n")
    return os.waitstatus_to_exitcode(status)


def summarise(lines):
    seconds, files = collections.Counter(), collections.Counter()
    for line in lines:
        time, output = line.split(maxsplit=1)
        inside = re.search(r"dbandit_([a-z]+)\.dir/Unity/", output) or re.search(r"\.dir/(?:src/)?([a-z]+)/", output)
        folder = "precompiled headers" if output.strip().endswith(".gch") else inside[1] if inside else "generated"
        seconds[folder] += float(time)
        files[folder] += 1
    for folder, time in seconds.most_common():
        print(f"{folder:20} {files[folder]:4} files {time:7.1f} s")
    print(f"{'all':20} {sum(files.values()):4} files {sum(seconds.values()):7.1f} s")


if len(sys.argv) > 1:
    sys.exit(launch(sys.argv[1:]))
with open(os.environ["CPU_TIME"]) as log:
    summarise(log)
