"""Runs every snippet of the README and the manual.

    snippets_test.py models  COMMAND       model files are checked and run; then the console's commands are run
    snippets_test.py python  COMMAND       Python blocks of a page run one after another
    snippets_test.py cpp     COMPILER FLAG...  blocks with a main function are compiled, with those that go on from it

A page's model files are written under their names, so that its commands find them. Quoted output must consist of words that
the command prints; their layout is free.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from manual import ROOT, pages, snippets

failures = []
ran = 0


def failed(page, line, why):
    failures.append(f"{page.relative_to(ROOT)}:{line}: {why}")


def write_models(page, folder):
    written = []
    for language, text, line in snippets(page):
        if language != "toml":
            continue
        name = re.search(r'^name = "([^"]+)"', text)
        if "[derivatives]" not in text and "locations.derivatives" not in text or not name:
            failed(page, line, "is no complete model with a name")
            continue
        (folder / f"{name[1]}.toml").write_text(text, encoding="utf-8")
        written.append((f"{name[1]}.toml", line))
    return written


def run(arguments, folder):
    global ran
    ran += 1
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=300)


def check_console(command, page, text, line, folder):
    output = None
    for number, quoted in enumerate(text.splitlines()):
        if quoted.startswith("$ "):
            words = shlex.split(quoted[2:])
            if words[0] != "slideway":
                failed(page, line + number, "only the command `slideway` is run here")
                continue
            done = run([command, *words[1:]], folder)
            output = done.stdout + done.stderr
            if done.returncode != 0:
                failed(page, line + number, f"ended with {done.returncode}: {output[-500:]}")
        elif output is not None:
            for word in quoted.split():
                if word not in output and word != "…":
                    failed(page, line + number, f"'{word}' is not printed")


def check_models(command):
    for page in pages():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for model, line in write_models(page, folder):
                for arguments in (["check", model], ["run", model, "--quiet"]):
                    done = run([command, *arguments], folder)
                    # A run that is not unique is what some examples are about.
                    expected = done.returncode == 3 and "not unique" in done.stdout + done.stderr
                    if done.returncode != 0 and not expected:
                        failed(page, line, f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr[-800:]}")
            for language, text, line in snippets(page):
                if language in ("console", "text") and "$ slideway" in text:
                    check_console(command, page, text, line, folder)


def check_python():
    for page in pages():
        blocks = [(text, line) for language, text, line in snippets(page) if language == "python"]
        if not blocks:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_models(page, folder)
            # A module of its own, so that the source of functions can be read.
            (folder / "page.py").write_text("\n".join(text for text, _ in blocks), encoding="utf-8")
            done = run([sys.executable, "page.py"], folder)
            if done.returncode != 0:
                failed(page, blocks[0][1], done.stderr[-1500:])


def check_cpp(compiler, flags):
    for page in pages():
        blocks = [(text, line) for language, text, line in snippets(page) if language == "cpp"]
        if not blocks:
            continue
        mains = [text for text, _ in blocks if "int main(" in text]
        if len(mains) != 1 or not mains[0].rstrip().endswith("}"):
            failed(page, blocks[0][1], "has not exactly one block that ends with a main function")
            continue
        rest = "".join(text for text, _ in blocks if "int main(" not in text)
        program = mains[0].rstrip()[:-1] + rest + "}\n"
        with tempfile.TemporaryDirectory() as name:
            source = pathlib.Path(name) / "page.cpp"
            source.write_text(program, encoding="utf-8")
            done = run([compiler, "-std=c++20", "-fsyntax-only", *flags, str(source)], name)
            if done.returncode != 0:
                failed(page, blocks[0][1], done.stderr[-3000:])


def main():
    kind = sys.argv[1]
    if kind == "models":
        check_models(sys.argv[2])
    elif kind == "python":
        check_python()
    else:
        check_cpp(sys.argv[2], sys.argv[3:])
    for failure in failures:
        print(failure)
    print(f"{ran} runs, {len(failures)} failures")
    return 1 if failures or ran == 0 else 0


sys.exit(main())
