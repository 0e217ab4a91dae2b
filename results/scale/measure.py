#!/usr/bin/env python3
"""Measures what the model needs on this machine, runs the model, and writes README.md beside it.

  results/scale/measure.py build/release/src/dbandit         (about a minute; needs mpirun and mpicxx)

CPU times of processes, not wall clock: the machine may be shared. Wall clock is used for the counter alone.
"""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import model

HERE = pathlib.Path(__file__).parent
PROBLEM = ["--theta", "0.1,0.05,0.03", "--delay", "geometric:500", "--censor", "1000", "--policies", "d-klucb,d-ucb", "--threads", "1"]
BEFORE = {  # version 0.1, results/scale/README.md of commit 60f2d81: min(1, b / (p s)) with s = 0.27 ms a block on rank 0
    64: ("97.2 %", "97.2 %"), 1024: ("7.4 %", "97.0 %"), 16384: ("0.5 %", "45.6 %")}


def cpu(words):
    """User and system seconds of a command and all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(words, times=3):
    return min(cpu(words) for _ in range(times))


def mpirun(ranks):
    return ["mpirun", "-n", ranks, "--oversubscribe", "--bind-to", "none"]


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    run = [program, "run", *PROBLEM, "--quiet"]
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        # b: of 80 blocks, less the start of the program
        start = least([*run, "--horizon", 10000, "--replicas", 1, "--csv"])
        block = (least([*run, "--horizon", 10000, "--replicas", 10240, "--csv"]) - start) / 80
        # the message, and s: what an edge of the tree costs but for the network
        build = program.parent
        libraries = [build / f"libdbandit_{name}.a" for name in "report sim policy kernel reference model rng stats core".split()]
        subprocess.run(["mpicxx", "-O2", "-std=c++20", "-I", HERE / "../../include", "-I", HERE / "../../src", HERE / "merge.cpp", *libraries,
                        "-ltbb", "-lfmt", "-o", out / "merge"], check=True)
        size, merged = {}, {}
        for rounds, at in ((200, ",".join(str(50 * t) for t in range(1, 201))), (1, "10000")):
            cpu([*run, "--horizon", 10000, "--at", at, "--replicas", 128, "--shard", "1/1", "--out", out / f"shard{rounds}"])
            size[rounds] = (out / f"shard{rounds}" / "checkpoint").stat().st_size
            merged[rounds] = min(float(subprocess.run([str(out / "merge"), *(["one"] if rounds == 1 else [])], check=True, capture_output=True,
                                                      text=True).stdout) for _ in range(5))
        # c: two ranks at the counter
        subprocess.run(["mpicxx", "-O2", HERE / "counter.cpp", "-o", out / "counter"], check=True)
        counter = min(float(subprocess.run([str(word) for word in [*mpirun(2), out / "counter"]], check=True, capture_output=True, text=True).stdout)
                      for _ in range(3))
        rows = []
        for ranks in (1, 2, 4, 8):
            words = [*mpirun(ranks), *run, "--horizon", 10000]
            begun = least([*words, "--replicas", 1, "--csv"], 2)
            rows.append((ranks, begun, least([*words, "--replicas", 10240, "--csv"], 2) - begun))
        # a shard of a million replicas
        cpu([program, "run", *PROBLEM[:-2], "--quiet", "--horizon", 200, "--replicas", 1000000, "--shard", "1/1", "--out", out / "million"])
        million = (out / "million" / "checkpoint").stat().st_size

    def predicted(cores, b, blocks, threads):
        return f"{100 * model.efficiency(cores, b, merged[200], counter, blocks, threads):.1f} %"

    table = "\n".join(f"| {cores:,} | {BEFORE[cores][0]} | {predicted(cores, block, 20, 1)} | {predicted(cores, block, 20, 64)} | {predicted(cores, block, 100, 1)} "
                      f"| {BEFORE[cores][1]} | {predicted(cores, 100 * block, 20, 1)} |".replace(",", " ") for cores in BEFORE)
    ranks = "\n".join(f"| {n} | {begun:.2f} s | {took:.2f} s | {1000 * took / 80:.1f} ms | {took / rows[0][2]:.2f} |" for n, begun, took in rows)
    values = {"block": f"{1000 * block:.1f} ms", "size200": f"{size[200] / 1000:.1f} kB", "size1": f"{size[1] / 1000:.1f} kB",
              "s200": f"{1000 * merged[200]:.2f} ms", "s1": f"{1000 * merged[1]:.3f} ms", "counter": f"{1e6 * counter:.2f} µs", "load": f"{load:.1f}",
              "table": table, "ranks": ranks, "million": f"{million / 1000:.0f} kB",
              "short": f"{20 * block:.2f} s", "longer": f"{100 * block:.1f} s", "words": f"{block:.4g} {merged[200]:.2g} {counter:.2g}"}
    text = (HERE / "README.in.md").read_text()
    (HERE / "README.md").write_text(re.sub(r"\{(\w+)\}", lambda match: values[match[1]], text))


if __name__ == "__main__":
    main()
