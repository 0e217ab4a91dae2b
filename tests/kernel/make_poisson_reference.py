#!/usr/bin/env python3
"""Writes poisson_reference.inc: h(S, beta) = S g(beta/S) to 40 digits, where x = g(c) >= 1 solves x - 1 - ln x = c (section 5.3).

    /usr/bin/python3 make_poisson_reference.py > poisson_reference.inc        (Debian: python3-mpmath)

Three families: S = 1 and c = beta over [1e-16, 1e7]; every S of a list with every beta that a round and an epsilon can give; and
the neighbourhood of the places where an implementation may change its formula. S and beta are doubles, printed exactly; the
equation is solved for those doubles, in y = x - 1, so that no digit is lost where x is near 1."""
from mpmath import mp, mpf, log, log1p, sqrt

mp.dps = 60


def excess(c):
    """y >= 0 with y - log1p(y) = c: Newton from above, which falls onto the root of a convex function."""
    y = sqrt(2 * c) + c
    while True:
        step = (y - log1p(y) - c) * (1 + y) / y
        y -= step
        if abs(step) < mpf(10) ** -55 * y:
            break
    assert abs(y - log1p(y) - c) < mpf(10) ** -50 * c
    return y


def bound(conversions, beta):
    if conversions == 0:
        return mpf(beta)
    return conversions * (1 + excess(mpf(beta) / conversions))


rows = []
# 12 values a decade, moved off the powers of ten so that no mantissa is round.
rows += [(1, float(mpf(10) ** (mpf(i) / 12) * mpf('1.0000000357'))) for i in range(-16 * 12, 7 * 12)] + [(1, 1e-16), (1, 1e7)]
betas = [float((1 + eps) * log(t)) for eps in (0, mpf('0.5'), 1000) for t in (2, 3, 10, 100, 10**4, 10**6, 10**9)]
rows += [(s, b) for s in (0, 1, 2, 3, 4, 5, 7, 10, 16, 31, 50, 100, 333, 1000, 12345, 10**6, 10**8, 2**40) for b in betas]
rows += [(1, float(s * s / 2 * (1 + mpf(k) / 2**40))) for s in (6, mpf('6.6')) for k in (-1, 0, 1)]
assert mp.nstr(bound(1, log(100)), 15) == '7.63835206799381' and mp.nstr(bound(1000, log(10**6)), 15) == '1175.56093987728'

print('// Made by make_poisson_reference.py: {S, beta, h(S, beta)}.')
for conversions, beta in rows:
    print(f'{{{conversions}.0, {beta.hex()}, {mp.nstr(bound(conversions, beta), 40, min_fixed=0, max_fixed=0)}L}},')
