#!/usr/bin/env python3
"""Writes student_reference.inc: quantiles of Student's law, from the incomplete beta function to 40 digits, rounded to a double.

    python3 make_student_reference.py > student_reference.inc        (Debian: python3-mpmath)
"""
import random

from mpmath import beta, betainc, mp, mpf, sqrt

mp.dps = 45
random.seed(20170628)


def tail(v, t):
    return betainc(mpf(v) / 2, mpf(1) / 2, 0, v / (v + t * t), regularized=True) / 2


def density(v, t):
    return (1 + t * t / v) ** (-mpf(v + 1) / 2) / (sqrt(mpf(v)) * beta(mpf(1) / 2, mpf(v) / 2))


def quantile(v, p):
    """Newton from 0: the tail is convex."""
    t, step = mpf(0), mpf(1)
    while abs(step) > t * mpf(10) ** -30:
        step = (tail(v, t) - p) / density(v, t)
        t += step
    return t


CASES = [(v, 1 - (1 - 0.025)) for v in (1, 2, 3, 6, 19, 99, 999, 9999)]
CASES += [(int(2 ** random.uniform(0, 10)), 2 ** random.uniform(-25, -1.1)) for _ in range(25)]

print("// Made by make_student_reference.py: {degrees, tail, quantile}.")
for v, p in CASES:
    print(f"{{{v}, {float(p).hex()}, {float(quantile(v, mpf(p))).hex()}}},")
