#!/usr/bin/env python3
"""Blocks that are dropped on each other, with every impact resolved: when the last one comes to rest.

Between impacts every block is in free fall, so the time of the next impact is a root of a quadratic (onto what lies still) or of
a linear function (between two falling blocks), and the impact is Newton's law with equal masses. A block rests once its
height and its speed are below 1e-30. Needs mpmath:  python3 block_pile.py
"""
from mpmath import mp, mpf, nstr, sqrt

mp.dps = 100
SMALLEST = mpf(10) ** -30
GRAVITY, GAP = mpf("9.81"), mpf("0.2")


def drop(blocks, e):
    """Impacts and the time of rest; heights are counted without the blocks in between."""
    z = [(i + 1) * GAP for i in range(blocks)]
    v = [mpf(0)] * blocks
    t, lying, impacts = mpf(0), 0, 0
    while lying < blocks:
        speed = v[lying]
        waits = [((speed + sqrt(speed**2 + 2 * GRAVITY * z[lying])) / GRAVITY, lying)]
        waits += [((z[i] - z[i - 1]) / (v[i - 1] - v[i]), i) for i in range(lying + 1, blocks) if v[i] < v[i - 1]]
        wait, hit = min(waits)
        t += wait
        for i in range(lying, blocks):
            z[i] += v[i] * wait - GRAVITY * wait**2 / 2
            v[i] -= GRAVITY * wait
        if hit == lying:
            z[hit], v[hit] = mpf(0), -e * v[hit]
        else:
            z[hit], below, above = z[hit - 1], v[hit - 1], v[hit]
            v[hit - 1], v[hit] = ((1 - e) * below + (1 + e) * above) / 2, ((1 + e) * below + (1 - e) * above) / 2
        impacts += 1
        while lying < blocks and abs(v[lying]) < SMALLEST and z[lying] < SMALLEST:
            lying += 1
    return impacts, t


for blocks in (2, 3, 5, 10):
    for e in ("0.3", "0.5", "0.8"):
        impacts, t = drop(blocks, mpf(e))
        print(f"N = {blocks}, e = {e}: {impacts} impacts, at rest at t = {nstr(t, 17)}")
