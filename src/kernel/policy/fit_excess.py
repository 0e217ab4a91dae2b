#!/usr/bin/env python3
"""Coefficients of the log-free excess in poisson.hpp: y(s) = g(s^2/2) - 1 = s P(s) on 0 <= s <= S, P of the given degree.

    /usr/bin/python3 fit_excess.py 6.6 11        (Debian: python3-mpmath)

Interpolates y/s at Chebyshev nodes in 40 digits (close to minimax), then prints the coefficients as doubles and the worst
relative error of 1 + y on a grid when P is evaluated with those doubles."""
import sys
from mpmath import mp, mpf, cos, pi, log1p, sqrt, findroot, matrix, lu_solve

mp.dps = 40
top, degree = mpf(sys.argv[1]), int(sys.argv[2])


def excess(s):
    """y >= 0 with y - log1p(y) = s^2/2."""
    if s < mpf('1e-6'):
        return s + s**2 / 3 + s**3 / 36
    c, y = s * s / 2, s + s * s / 2
    for _ in range(60):
        step = (y - log1p(y) - c) * (1 + y) / y
        y -= step
        if abs(step) < mpf(10) ** -38 * y:
            return y
    return y


nodes = [top / 2 * (1 + cos(pi * (2 * i + 1) / (2 * degree + 2))) for i in range(degree + 1)]
a = matrix(degree + 1, degree + 1)
b = matrix(degree + 1, 1)
for i, s in enumerate(nodes):
    b[i] = excess(s) / s
    for j in range(degree + 1):
        a[i, j] = s**j
coefficients = [float(x) for x in lu_solve(a, b)]
worst = mpf(0)
for i in range(1, 2001):
    s = top * i / 2000
    p = mpf(0)
    for k in reversed(coefficients):
        p = p * s + mpf(k)
    worst = max(worst, abs(s * p - excess(s)) / (1 + excess(s)))
print(f'// fit_excess.py {sys.argv[1]} {degree}: worst relative error of 1 + y {mp.nstr(worst, 3)}')
print(',\n'.join(f'{k!r}' for k in coefficients))
