#!/usr/bin/env python3
"""Kills runs with checkpoints at random instants, goes on with them, and compares every result byte for byte.

    validation/checkpoints/kills.py build/bin/slideway             100 kills in each of ten models and more
    validation/checkpoints/kills.py --kills 3 --only ball build/bin/slideway

For each case one run is left alone; it makes the table, the JSON document and the summary that the others must make again. Another is
killed by SIGKILL after a random time, gone on with from its checkpoint, and killed again, until it has been killed as often as asked or
has come to its end; then the next begins. Where no checkpoint had been written, the run begins anew, as a user would do.
The exit status is 0 where all results are the same.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

# The name, the arguments and the interval between two checkpoints.
CASES = [
    ("sliding", ["circle", "--t-end", "400", "--max-step", "0.05"], "40steps"),
    ("friction", ["dry-friction", "--t-end", "1500"], "50steps"),
    ("impacts", ["impact-oscillator", "--t-end", "1500"], "50steps"),
    ("resets", ["gallery/integrate_and_fire", "--t-end", "30000"], "50steps"),
    ("automaton", ["thermostat", "--t-end", "10000"], "40steps"),
    ("ball", ["bouncing-ball", "--t-end", "50", "--max-step", "0.01"], "40steps"),
    ("pile", ["block-pile", "--t-end", "50", "--max-step", "0.01"], "40steps"),
    ("cam", ["cam-follower", "--t-end", "60"], "40steps"),
    ("second-order", ["gallery/super_twisting", "--max-step", "0.002"], "40steps"),
    ("twisting", ["gallery/twisting", "--max-step", "0.002"], "40steps"),
    ("relays", ["two-relays", "--t-end", "40", "--max-step", "0.01"], "40steps"),
    ("stiff", ["heat-rod", "--method", "bdf", "--t-end", "40"], "50steps"),
    ("auto", ["heat-rod", "--t-end", "40"], "50steps"),
    ("rodas", ["heat-rod", "--method", "rodas", "--t-end", "40"], "50steps"),
    ("adams", ["dry-friction", "--method", "adams", "--t-end", "300"], "50steps"),
    ("sampled", ["gallery/digital_pid", "--t-end", "2000"], "50steps"),
    ("sampled-sliding", ["gallery/sampled_sliding", "--t-end", "400"], "50steps"),
    ("dop853", ["dry-friction", "--rtol", "1e-10", "--t-end", "600"], "50steps"),
]

RESULTS = ["table.csv", "run.json"]


def finished(program, arguments, folder):
    done = subprocess.run([program, "run", *arguments], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def killed_after(program, arguments, folder, seconds):
    """The exit status and the output, or None where the run was killed."""
    process = subprocess.Popen(
        [program, "run", *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    return process.returncode, out, err


def results_in(folder):
    texts = {}
    for name in RESULTS:
        with open(os.path.join(folder, name), "rb") as file:
            texts[name] = file.read()
    return texts


def differences(expected, got):
    return [name for name in expected if expected[name] != got.get(name)]


def check(program, name, arguments, interval, kills, generator):
    outputs = ["--csv", "table.csv", "--json", "run.json", "--all-events"]
    checkpoints = ["--checkpoint", "run.checkpoint", "--every", interval]
    with tempfile.TemporaryDirectory(prefix="slideway-kills-") as folder:
        began = time.monotonic()
        status, summary, errors = finished(program, arguments + outputs + checkpoints, folder)
        duration = time.monotonic() - began
        if errors or status not in (0, 3):
            print(f"{name}: the undisturbed run fails: {errors}")
            return False
        expected = results_in(folder)
        expected["summary"] = summary
    done = resumed = ended = 0
    wrong = []
    while done < kills and not wrong:
        with tempfile.TemporaryDirectory(prefix="slideway-kills-") as folder:
            while True:
                has_checkpoint = os.path.exists(os.path.join(folder, "run.checkpoint"))
                command = (["--from", "run.checkpoint"] if has_checkpoint else arguments + checkpoints) + outputs
                if done < kills:
                    outcome = killed_after(program, command, folder, generator.uniform(0, 0.4 * duration))
                else:
                    outcome = finished(program, command, folder)
                if outcome is None:
                    done += 1
                    resumed += has_checkpoint
                    continue
                got = results_in(folder) if not outcome[2] else {}
                got["summary"] = outcome[1]
                wrong = differences(expected, got)
                if wrong:
                    print(f"{name}: after {done} kills {', '.join(wrong)} differ {outcome[2]}")
                ended += 1
                break
    print(f"{name:14} {done:4} kills, {resumed:4} of resumed runs, {ended:3} runs to their ends, "
          f"{duration:.2f} s undisturbed, {len(expected['table.csv']):9} bytes of csv, "
          f"{len(expected['run.json']):8} of json: {'DIFFERENT' if wrong else 'the same'}", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[])
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    program = os.path.abspath(arguments.program)
    good = True
    for name, words, interval in CASES:
        if arguments.only and name not in arguments.only:
            continue
        good = check(program, name, words, interval, arguments.kills, generator) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
