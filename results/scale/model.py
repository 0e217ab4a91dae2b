#!/usr/bin/env python3
"""Efficiency of one run on many cores: every core simulates blocks, rank 0 takes them in one by one and folds them.

  model.py BLOCK_SECONDS SERVICE_SECONDS [BLOCKS_PER_CORE]

BLOCK_SECONDS: CPU time of a block; SERVICE_SECONDS: what rank 0 spends on one (receive, decode, fold). Events, not a formula:
cores whose blocks take up to 10 % more or less than the mean, each with one block in reserve, so that it waits only when
rank 0 is behind. Prints the share of the cores' time that is spent on blocks.
"""
import heapq
import random
import sys
from collections import deque


def efficiency(cores, block, service, per_core):
    draw = random.Random(1)
    blocks = cores * per_core
    under_way = [(draw.uniform(0.9, 1.1) * block, core) for core in range(cores)]  # when they end
    heapq.heapify(under_way)
    in_reserve = [deque([0.0]) for _ in range(cores)]  # when they arrived
    given = 2 * cores
    rank0 = 0.0  # when it is done with what it has
    while under_way:
        now, core = heapq.heappop(under_way)
        rank0 = max(rank0, now) + service
        if given < blocks:
            given += 1
            in_reserve[core].append(rank0)
        if in_reserve[core]:
            start = max(now, in_reserve[core].popleft())
            heapq.heappush(under_way, (start + draw.uniform(0.9, 1.1) * block, core))
    return blocks * block / (cores * rank0)


def main():
    block, service = float(sys.argv[1]), float(sys.argv[2])
    per_core = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    for cores in (64, 1024, 16384):
        print(f"{cores:6d} cores: {100 * efficiency(cores, block, service, per_core):5.1f} %")


if __name__ == "__main__":
    main()
