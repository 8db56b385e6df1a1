#!/usr/bin/env python3
"""The two masses of case F07 (DISODE45 manual, example 3), with every bounce resolved.

Between impacts both masses are driven linear oscillators, so the flow is exact:
    free     x1'' + 0.3 x1' + 15 x1 = 17.5 + 15 cos(1.38 t),     x2'' + 0.6 x2' + 20 x2 = 0
    stuck    3 x'' + 1.2 x' + 50 x = 35 + 30 cos(1.38 t) + const,  one mass of both, x1 - x2 = +-0.5 kept
Impacts: the gap's speed u becomes -0.7 u and the momentum 2 v1 + v2 stays. A series of bounces is followed until its speed
is below `SMALLEST`; what is left of it is then below 1e-24 in time and in the state. The pair parts at the root of the
contact force. Everything is computed with 80 digits; impact_pair.json holds the results with 17.

Needs mpmath:  python3 impact_pair.py > impact_pair.json
"""
import json

from mpmath import cos, exp, mp, mpf, sin, sqrt

mp.dps = 80
SMALLEST = mpf(10) ** -25
E, D, W = mpf("0.7"), mpf("0.5"), mpf("1.38")
M1, M2 = mpf(2), mpf(1)
END = mpf(10)


class Oscillator:
    """x'' + 2 b x' + k x = f0 + f cos(W t), from (t0, x0, v0)."""

    def __init__(self, damping, stiffness, f0, f, t0, x0, v0):
        self.b, self.k, self.f0, self.f = damping / 2, stiffness, f0, f
        # x_p = f0/k + p cos(W t) + q sin(W t)
        real, imaginary = stiffness - W**2, damping * W
        size = real**2 + imaginary**2
        self.p, self.q = f * real / size, f * imaginary / size
        self.w = sqrt(stiffness - self.b**2)
        self.t0 = t0
        self.c = x0 - self.particular(t0)
        self.s = (v0 - self.particular_rate(t0) + self.b * self.c) / self.w

    def particular(self, t):
        return self.f0 / self.k + self.p * cos(W * t) + self.q * sin(W * t)

    def particular_rate(self, t):
        return W * (self.q * cos(W * t) - self.p * sin(W * t))

    def __call__(self, t):
        """x and v at t."""
        s = t - self.t0
        decay, co, si = exp(-self.b * s), cos(self.w * s), sin(self.w * s)
        x = decay * (self.c * co + self.s * si)
        v = decay * (-self.c * self.w * si + self.s * self.w * co) - self.b * x
        return x + self.particular(t), v + self.particular_rate(t)


def accelerations(t, state):
    x1, v1, x2, v2 = state
    return (-30 * x1 - mpf("0.6") * v1 + 35 + 30 * cos(W * t)) / M1, (-20 * x2 - mpf("0.6") * v2) / M2


def refine(function, start, guess):
    """The root near guess, by secants."""
    other = guess + (guess - start) * mpf(10) ** -6
    value, other_value = function(guess), function(other)
    for _ in range(60):
        if other_value == value:
            break
        guess, other, other_value = other - other_value * (other - guess) / (other_value - value), guess, value
        value = function(guess)
        if abs(guess - other) < mpf(10) ** -65:
            break
    assert guess > start
    return guess


def first_root(function, start, first_step, end):
    """The first change of sign from + to - after start: steps grow from first_step to 1/1000."""
    step, low = first_step, start + first_step / 8
    value = function(low)
    while low < end:
        high = min(low + step, end)
        next_value = function(high)
        if value > 0 >= next_value:
            return refine(function, start, low + (high - low) * value / (value - next_value))
        low, value, step = high, next_value, min(step * 2, 0.001 + 0 * step)
    return None


def run():
    t, state, side = mpf(0), (mpf("0.2"), mpf(0), mpf("0.3"), mpf(0)), None
    impacts, zeno, releases, samples, flights = [], [], [], {}, []
    sample_times = [mpf(k) / 2 for k in range(1, 21)]

    def sample(before, after, at):
        for time in sample_times:
            if before < time <= after:
                samples[time] = at(time)

    while t < END:
        if side is not None:  # stuck
            pair = Oscillator(mpf("1.2") / 3, mpf(50) / 3, (35 + 20 * side * D) / 3, mpf(10), t, state[0], state[1])

            def at(time, pair=pair, side=side):
                x, v = pair(time)
                return x, v, x - side * D, v

            def force(time, at=at, side=side):
                a1, a2 = accelerations(time, at(time))
                return side * (a1 - a2)

            parted = first_root(force, t, mpf(10) ** -3, END)
            sample(t, parted or END, at)
            if parted is None:
                t, state = END, at(END)
                break
            t, state = parted, at(parted)
            releases.append((t, state))
            side = None
        first = Oscillator(mpf("0.3"), mpf(15), mpf("17.5"), mpf(15), t, state[0], state[1])
        second = Oscillator(mpf("0.6"), mpf(20), mpf(0), mpf(0), t, state[2], state[3])

        def at(time, first=first, second=second):
            return (*first(time), *second(time))

        # After an impact the next one is at about 2u/a; the wall hit last and the other one are both looked out for.
        apart = lambda time: first(time)[0] - second(time)[0]
        flight = mpf("0.008")
        if t > 0:
            a1, a2 = accelerations(t, state)
            rate, pressing = last_end * (state[3] - state[1]), last_end * (a1 - a2)
            flight = min(flight, 2 * rate / pressing if pressing > 0 and rate > 0 else mpf("0.0001"))
        hit = first_root(lambda time: D - abs(apart(time)), t, flight / 8, END)
        if hit is None:
            sample(t, END, at)
            t, state = END, at(END)
            break
        last_end = end_of_slot = 1 if apart(hit) > 0 else -1
        sample(t, hit, at)
        t, (x1, v1, x2, v2) = hit, at(hit)
        x1 = x2 + end_of_slot * D
        middle = (M1 * v1 + M2 * v2) / (M1 + M2)
        speed = end_of_slot * (v1 - v2)
        v1, v2 = middle - E * (v1 - v2) * M2 / (M1 + M2), middle + E * (v1 - v2) * M1 / (M1 + M2)
        state = (x1, v1, x2, v2)
        impacts.append((t, speed))
        a1, a2 = accelerations(t, state)
        if speed < SMALLEST and end_of_slot * (a1 - a2) > 0:
            side = last_end
            state = (x1, middle, x2, middle)
            zeno.append((t, side, state))
    return impacts, zeno, releases, samples, state


def main():
    number = lambda x: float(x)
    impacts, zeno, releases, samples, final = run()
    print(json.dumps({
        "case": "F07",
        "impacts resolved": len(impacts),
        "impact times, approach above 1e-2": [number(t) for t, u in impacts if u > mpf("0.01")],
        "zeno": [{"t": number(t), "side": "right" if s > 0 else "left", "state": [number(x) for x in state]}
                 for t, s, state in zeno],
        "releases": [{"t": number(t), "state": [number(x) for x in state]} for t, state in releases],
        "samples": [{"t": number(t), "state": [number(x) for x in state]} for t, state in sorted(samples.items())],
        "final": [number(x) for x in final],
    }, indent=1))


if __name__ == "__main__":
    main()
