#!/usr/bin/env python3
"""Writes double_double_reference.inc: functions of doubles to twice a double's digits, each as the sum of two doubles.

    /usr/bin/python3 make_double_double_reference.py > double_double_reference.inc        (Debian: python3-mpmath)
"""
import random

from mpmath import erfc, exp, expm1, log, log1p, mp, mpf

mp.dps = 60
random.seed(20170628)

GIVEN = {
    "exp": (exp, [0.0, 1.0, -1.0, 0.5, -0.35, 1e-30, 600.0, -600.0] + [random.uniform(-600, 600) for _ in range(40)]),
    "expm1": (expm1, [1e-300, -1e-20, 0.33, 0.35, -0.33, -0.35, 5.0, -40.0]
              + [random.choice([-1, 1]) * 2 ** random.uniform(-60, 2) for _ in range(40)]),
    "log": (log, [2.0, 0.5, 1e-300, 1e300, 5e-324, 1.5, 1 + 2**-20] + [2 ** random.uniform(-1000, 1000) for _ in range(40)]),
    "log1p": (log1p, [1e-300, 1e-16, -0.2499, 0.2501, -0.999, 1e10] + [random.choice([-1, 1]) * 2 ** random.uniform(-60, -0.1) for _ in range(40)]),
    "erfc": (erfc, [0.0, 1e-20, 1.2464, 2.4999, 2.5, 2.5001, 26.0, -1.0, -5.0] + [random.uniform(-3, 24) for _ in range(40)]),
}

print("// Made by make_double_double_reference.py: {function, x, high, low}.")
for name, (function, arguments) in GIVEN.items():
    for x in arguments:
        value = function(mpf(x))
        high = float(value)
        low = float(value - mpf(high))
        print(f'{{"{name}", {float(x).hex()}, {high.hex()}, {low.hex()}}},')
