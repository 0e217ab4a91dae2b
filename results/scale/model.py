#!/usr/bin/env python3
"""Efficiency of one run on many cores, played event by event.

  model.py BLOCK MERGE COUNTER [BLOCKS_PER_CORE [THREADS_PER_RANK]]        (seconds)

Every core takes blocks from one counter, which serves one core at a time (COUNTER) until none is left; blocks take up to 10 % more or less
than BLOCK. Then a rank adds what its children in a binomial tree have sent, one after the other, MERGE each (send, receive, decode, add), and
sends its own to its parent. Prints the share of the cores' time that is spent on blocks until rank 0 has all.
"""
import heapq
import random
import sys


def efficiency(cores, block, merge, counter, per_core=20, threads=1):
    draw = random.Random(1)
    blocks = cores * per_core
    free = [(0.0, core) for core in range(cores)]  # when each core asks for its next block
    heapq.heapify(free)
    served = 0.0  # when the counter is free again
    for _ in range(blocks):
        now, core = heapq.heappop(free)
        served = max(served, now) + counter
        heapq.heappush(free, (served + draw.uniform(0.9, 1.1) * block, core))
    ranks = max(1, cores // threads)
    done = [0.0] * ranks
    for now, core in free:
        done[core // threads] = max(done[core // threads], now)
    for rank in range(ranks - 1, -1, -1):  # children have higher numbers: theirs is known
        below = rank & -rank if rank else 1 << (ranks - 1).bit_length()
        step = 1
        while step < below and rank + step < ranks:
            done[rank] = max(done[rank], done[rank + step]) + merge
            step *= 2
    return blocks * block / (cores * done[0])


def main():
    block, merge, counter = (float(word) for word in sys.argv[1:4])
    more = [int(word) for word in sys.argv[4:6]]
    for cores in (64, 1024, 16384):
        print(f"{cores:6d} cores: {100 * efficiency(cores, block, merge, counter, *more):5.1f} %")


if __name__ == "__main__":
    main()
