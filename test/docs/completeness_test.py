"""Compares the manual's reference with the keys of the parser of model files and the options of the command.

    completeness_test.py COMMAND

Fails for a key, a word or an option that the reference does not name, and for an option there that the command does not have.
"""

import re
import subprocess
import sys

from manual import DOCS, ROOT

STRING = re.compile(r'"([A-Za-z_][A-Za-z_0-9-]*)"')


def source(name):
    (file,) = (ROOT / "lib" / "src").rglob(name)
    return file.read_text(encoding="utf-8")


def keys_of_parser():
    """Every list of keys that the parser compares a table with, and the laws of friction."""
    lists = []
    sections = "".join(source(name) for name in ("model_file_sections.cpp", "model_file_events.cpp",
                                                 "model_file_friction.cpp", "model_file_hysteresis.cpp",
                                                 "model_file_tables.cpp"))
    lists += re.findall(r"check_keys\((?:[^{};]|\n)*\{([^{}]*)\}", sections)
    lists += re.findall(r"read_events\([^{;]*\{([^{}]*)\}", sections)
    lists += re.findall(r"Words\s*(?:\w+\s*=\s*)?\{([^{}]*)\}", sections)
    lists += re.findall(r"read_word\([^{;]*\{([^{}]*)\}", sections)
    lists += re.findall(r"emplace_back\(([^()]*)\)", source("model_file_friction.cpp"))
    lists += re.findall(r"const Words \w+ = \{([^{}]*)\}", source("model_file_tables.cpp"))
    lists += re.findall(r'\{("[A-Za-z]\w*", "[^"]*"), (?:true|false)', source("friction_laws.cpp"))
    lists += re.findall(r'^      \{("[a-z-]+"),', source("friction_laws.cpp"), re.MULTILINE)
    keys = {word for found in lists for word in STRING.findall(re.sub(r', "[^"]*[ /][^"]*"', "", found))}
    return keys - {"N", "m"}  # units


def options_of(command, name):
    text = subprocess.run([command, name, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", "\n".join(
        line for line in text.splitlines() if re.match(r"\s+(-\w, ?)?--", line)))) - {"--help"}


def main():
    command = sys.argv[1]
    missing = []
    files = (DOCS / "reference" / "model-files.md").read_text(encoding="utf-8")
    keys = keys_of_parser()
    known = {"parameters", "break_away", "across_jumps", "restitution", "linear_solver", "zeno", "lugre", "periodic",
             "sigma0", "observe", "stribeck-linear", "initial", "rising"}
    missing += [f"this test does not find the key {key} in the parser" for key in sorted(known - keys)]
    for key in sorted(keys):
        if not re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", files):
            missing.append(f"reference/model-files.md lacks the key {key}")

    page = (DOCS / "reference" / "command.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## `slideway (\w+)`\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    help_text = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    # A sub-command stands in a column of its own; lines that go on with a description are further in.
    commands = re.findall(r"^ {2}([a-z]+)\s", help_text.split("\nCommands\n")[-1].split("\nOptions\n")[0],
                          re.MULTILINE)
    if len(commands) < 5:
        missing.append("this test does not find the sub-commands in the help")
    for name in commands:
        if name not in sections:
            missing.append(f"reference/command.md lacks the command {name}")
            continue
        options = options_of(command, name)
        named = set(re.findall(r"^\| `(--[a-z][a-z0-9-]*)", sections[name], re.MULTILINE))
        missing += [f"reference/command.md lacks `slideway {name} {option}`" for option in sorted(options - named)]
        missing += [f"there is no option `slideway {name} {option}`" for option in sorted(named - options)]
    for line in missing:
        print(line)
    print(f"{len(keys)} keys, {len(commands)} commands, {len(missing)} missing")
    return 1 if missing else 0


sys.exit(main())
