"""Validates JSON documents that the command writes with the schemas of the manual, taken strictly: no member is left out there.

    schemas_test.py COMMAND
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

from manual import DOCS, ROOT

REPELLING = """[states]
x = 0.0
[time]
end = 1.0
[derivatives]
x = "sgn(x)"
"""

SKEWED = """[parameters]
p = 0.1
[states]
x = 0.2
v = 0.1
[time]
end = 1.0
[surfaces]
edge = "x - 1"
[derivatives]
x = "v"
v = "if(edge > 0, 2 - x - p*v, x + 0.2*v)"
"""
DRIVEN = """[states]
x = -0.5
v = 0.0
[time]
end = 1.0
[derivatives]
x = "v"
v = "x + cos(t)"
"""


def strict(schema):
    """The schema, where members that it does not name are refused."""
    schema = copy.deepcopy(schema)

    def visit(node):
        if isinstance(node, dict):
            if "properties" in node:
                node.setdefault("additionalProperties", False)
            for child in node.values():
                visit(child)
        elif isinstance(node, list):
            for child in node:
                visit(child)

    visit(schema)
    return schema


def main():
    command = sys.argv[1]
    gallery = ROOT / "models" / "gallery"
    with tempfile.TemporaryDirectory() as name:
        repelling = pathlib.Path(name) / "repelling.toml"
        repelling.write_text(REPELLING, encoding="utf-8")
        runs = [["evaporator"], ["evaporator", "--on-ambiguity", "branches"], [str(repelling)],
                [str(repelling), "--on-ambiguity", "branches"], [str(gallery / "dry_friction.toml"), "--observe", "E = 0.5*v^2"],
                *([str(gallery / f"{model}.toml")] for model in ("abs_brake", "cam_follower", "bouncing_ball", "thermostats",
                                                                 "filippov_spiral", "integrate_and_fire", "friction_chain")),
                [str(gallery / "lugre_block.toml"), "--passivity"],
                [str(gallery / "leine_belt.toml"), "--section", "slip", "--direction", "any"]]
        calls = [("run", ["run", *run, "--quiet", "--json", "-"]) for run in runs]
        calls += [("check", ["check", model, "--json", "-"])
                  for model in ("evaporator", str(repelling), str(gallery / "cam_follower.toml"))]
        calls += [("sweep", ["sweep", "dry-friction", "--vary", values, "--quiet", "--json", "-"])
                  for values in ("mu=0.1:0.5:5", "mu=0.1,-1")]
        calls += [("orbit", ["orbit", str(gallery / f"{model}.toml"), *arguments, "--json", "-"])
                  for model, arguments in (("leine_belt", ["--section", "slip"]), ("dry_friction", ["--period", "2*pi/w"]),
                                           ("hysteresis_relay", ["--section", "y - band"]),
                                           ("bouncing_ball", ["--period", "1", "--transient", "0"]))]
        calls += [("orbit-branch", ["orbit", str(gallery / "dry_friction.toml"), "--period", "2*pi/w", "--vary", "w=0.45:0.6:4",
                                    "--json", "-"])]
        calls += [("equilibria", ["equilibria", str(gallery / f"{model}.toml"), "--json", "-"])
                  for model in ("chua", "thermostat", "bouncing_ball", "welander")]
        skewed = pathlib.Path(name) / "skewed.toml"
        skewed.write_text(SKEWED, encoding="utf-8")
        driven = pathlib.Path(name) / "driven.toml"
        driven.write_text(DRIVEN, encoding="utf-8")
        calls += [("manifolds", ["manifolds", str(skewed), "--length", "2", "--json", "-"]),
                  ("connections", ["manifolds", str(skewed), "--connect", "x=2", "--vary", "p=0.02:0.4:5", "--length", "12", "--json",
                                   "-"]),
                  ("orbit-manifolds", ["manifolds", str(driven), "--period", "2*pi", "--length", "1", "--json", "-"])]
        calls += [("orbit-curves", ["orbit", str(gallery / "impact_oscillator.toml"), "--period", "2*pi/w", "--set", "x=-0.17", "--t-end",
                                    "240", "--vary", "d=0.23:0.13:5", "--vary", "w=2.5:2.7:5", "--json", "-"])]
        calls += [("equilibrium-curves", ["equilibria", str(gallery / "chua.toml"), "--vary", "alpha=5:12:4", "--vary", "beta=8:16:4",
                                          "--json", "-"])]
        calls += [("equilibrium-branches", ["equilibria", str(gallery / "chua.toml"), "--vary", "alpha=5:12:4", "--json", "-"])]
        measured = pathlib.Path(name) / "measured.csv"
        measured.write_text("t,x\n1,1.2\n2,0.9\n3,\n4,0.4\n", encoding="utf-8")
        calls += [("fit", ["fit", "dry-friction", "--data", str(measured), "--parameter", "mu", "--json", "-"])]
        calls += [("lyapunov", ["lyapunov", str(gallery / "dry_friction.toml"), *arguments, "--json", "-"])
                  for arguments in (["--block", "4*pi"], ["--max-steps", "2"])]
        calls += [("basins", ["basins", str(gallery / f"{model}.toml"), *arguments, "--size", "16", "--samples", "20", "--json", "-"])
                  for model, arguments in (("impact_oscillator", ["--plane", "x=-1:0.5,v=-1:1", "--period", "2*pi/w"]),
                                           ("harvesting", ["--plane", "x=0:2,y=0:2"]))]
        calls += [("diagram", ["diagram", str(gallery / f"{model}.toml"), *arguments, "--size", "6", "--max-curves", "4", "--json", "-"])
                  for model, arguments in (("impact_oscillator", ["--plane", "d=0.1:0.3,w=2.4:2.8", "--period", "2*pi/w"]),
                                           ("harvesting", ["--plane", "E=0.1:0.6,y_t=0.2:0.8"]))]
        short = ["--repeats", "1", "--levels", "2", "--max-evaluations", "20000", "--quiet", "--json", "-"]
        calls += [("compare", ["compare", "evaporator", "--error", "1e-3", *short]),
                  ("compare", ["compare", str(gallery / "bouncing_ball.toml"), *short]),
                  ("random", ["validate", "--random", "2", "--json", "-"]),
                  ("random-derivatives", ["validate", "--random", "2", "--derivatives", "--json", "-"])]
        failures = 0
        seen = set()
        for kind, arguments in calls:
            done = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=300)
            schema = json.loads((DOCS / "schema" / f"{kind}.schema.json").read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator.check_schema(schema)
            try:
                # The summary goes elsewhere where the document goes to standard output.
                document = json.loads(done.stdout)
            except json.JSONDecodeError:
                # `compare` of a model that it cannot treat says so, and writes nothing.
                if done.returncode != 2:
                    failures += 1
                    print(f"{' '.join(arguments)}: no JSON document, status {done.returncode}: {done.stderr[-300:]}")
                continue
            seen.add(kind)
            for error in jsonschema.Draft202012Validator(strict(schema)).iter_errors(document):
                failures += 1
                print(f"{' '.join(arguments)}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
        for kind in {"basins", "diagram", "run", "check", "compare", "orbit", "orbit-branch", "orbit-curves", "lyapunov", "equilibria", "equilibrium-branches", "equilibrium-curves", "manifolds", "orbit-manifolds", "connections", "fit", "random",
                     "random-derivatives"} - seen:
            failures += 1
            print(f"no document of the kind {kind} was written")
    print(f"{len(calls)} documents, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
