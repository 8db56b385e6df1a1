"""Makes the sources of the manual: its pages, figures drawn by the program, and a page for each model of the gallery.

    make_pages.py COMMAND SOURCE TARGET [PAGE]

SOURCE is the project's folder. TARGET gets everything that Sphinx reads. Needs /usr/share/javascript/mathjax. With PAGE, the folder of
the page that runs models, the manual's models have "run" and "edit" beside them; a folder that is not there is none.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor

from gallery_pictures import PICTURES
from typeset import latex, symbol

MATHJAX = pathlib.Path("/usr/share/javascript/mathjax")
# What TeX input and HTML output load. The whole package has 54 MB.
MATHJAX_PARTS = ["MathJax.js", "config/TeX-AMS_CHTML.js", "jax/element", "jax/input/TeX", "jax/output/CommonHTML",
                 "extensions", "fonts/HTML-CSS/TeX/woff"]

# Figures of the pages: the model of that name on some page, and options.
FIGURES = {
    "stick-slip": ("stick-slip", []),
    "stick-slip-start": ("stick-slip", ["--t-end", "20"]),
    "two-relays": ("two-relays", []),
    "ball": ("ball", ["--observe", "floor"]),
    "exits": ("stick-slip", ["--t-end", "20", "--observe", "w_minus = -x + mu + cos(w*t)", "--observe",
                             "w_plus = -x - mu + cos(w*t)"]),
    "sliding-control": ("sliding-control", ["--observe", "u"]),
}


def run(arguments, **more):
    done = subprocess.run(arguments, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))} ended with {done.returncode}:\n{done.stderr}")
    return done


def compacted(svg):
    """The same picture in fewer bytes: the data of paths to a tenth of a pixel, and no indents."""
    shortened = re.sub(r"(?<= d=')[^']*", lambda data: re.sub(r"\d+\.\d\d", lambda number: f"{float(number[0]):.1f}", " ".join(data[0].split())), svg)
    return re.sub(r"\s*\n\s*", "\n", shortened)


def draw(command, model, options, picture):
    run([command, "run", str(model), "--quiet", *options, "--plot", str(picture)])
    picture.write_text(compacted(picture.read_text(encoding="utf-8")), encoding="utf-8")


def page_models(docs):
    models = {}
    for page in sorted(docs.rglob("*.md")):
        for text in re.findall(r"^```toml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            name = re.search(r'^name = "([^"]+)"', text)
            if name:
                models[name[1]] = text
    return models


def value_of(entry):
    return entry["value"] if isinstance(entry, dict) else entry


def shown_name(name, entry):
    return symbol(name) + "_i" if isinstance(entry, dict) and "size" in entry else symbol(name)


def equations(lines):
    return ["```{math}", r"\begin{aligned}", " \\\\\n".join(lines), r"\end{aligned}", "```", ""] if lines else []


def derivative_lines(states, derivatives):
    return [r"\dot{%s} &= %s" % (symbol(name), latex(value_of(entry))) if not isinstance(states.get(name), dict)
            else r"\dot{%s}_i &= %s" % (symbol(name), latex(value_of(entry))) for name, entry in derivatives.items()]


def table_of(heading, rows):
    return ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading), *("| " + " | ".join(row) + " |" for row in rows), ""]


def checks_of_models(source):
    """By the name of a model what its tests compare a run with, from the names of the tests, and their file."""
    checks = {}
    for file in sorted((source / "test" / "models").glob("gallery_*_test.cpp")):
        for part in file.read_text(encoding="utf-8").split("TEST_CASE(")[1:]:
            title = re.match(r'\s*"((?:[^"\\]|\\.)*)"', part)
            for name in dict.fromkeys(re.findall(r'\b(?:follow|read)\("(\w+)"', part)):
                checks.setdefault(name, []).append((title[1], file.name))
    return checks


def contact_row(contact):
    friction = contact.get("friction", {})
    velocities = friction.get("velocity", [])
    velocities = velocities if isinstance(velocities, list) else [velocities]
    return [f"`{contact.get('name', '')}`", f"$ {latex(contact['gap'])} \\ge 0 $", f"`{contact['restitution']}`",
            f"`{friction['mu']}` against " + ", ".join(f"$ {latex(velocity)} $" for velocity in velocities) if friction else "none"]


def gallery_page(command, file, target, checks):
    text = file.read_text(encoding="utf-8")
    model = tomllib.loads(text)
    name = file.stem
    draw(command, file, [], target / f"{name}.svg")
    done = run([command, "run", str(file), "--quiet", "--json", "-"])
    result = json.loads(done.stdout)
    states = model["states"]
    page = [f"# {model['name']}", "", model.get("summary", ""), "", f"*Source:* {model.get('source', '')}", ""]
    comment = re.match(r"(?:#.*\n)+", text)
    if comment:
        lines = [re.sub(r"^# ?", "", line) for line in comment[0].rstrip().split("\n")]
        # As text: names and formulas in it are no Markdown.
        page += ["```text", *lines, "```", ""]
    page += [f"```{{image}} {name}.svg", f":alt: {json.dumps(model.get('summary', name), ensure_ascii=False)}", "```", ""]
    if name in PICTURES:
        caption, options = PICTURES[name]
        draw(command, file, options, target / f"{name}_as_drawn.svg")
        page += ["In the quantities in which the literature draws it:", "", f"```{{image}} {name}_as_drawn.svg", f":alt: {json.dumps(caption, ensure_ascii=False)}",
                 "```", "", f"*{caption}*", ""]
    page += ["## Equations", ""]
    page += equations(derivative_lines(states, model.get("derivatives", {})))
    for location in model.get("locations", []):
        page += [f"In location `{location['name']}`:", ""]
        page += equations(derivative_lines(states, location.get("derivatives", {}))) or ["the same.", ""]
    for table, words in (("definitions", "with"), ("surfaces", "Surfaces:")):
        page += [words, ""] if model.get(table) else []
        page += equations(["%s &= %s" % (shown_name(key, entry), latex(value_of(entry)))
                           for key, entry in model.get(table, {}).items()])
    if model.get("friction"):
        page += ["Friction:", ""] + table_of(["force", "law", "keys"], [
            [f"`{key}`", entry["law"], ", ".join(f"`{k} = {v}`" for k, v in entry.items() if k != "law")]
            for key, entry in model["friction"].items()])
    rows = []
    for kind in ("resets", "stops", "records", "edges"):
        for event in model.get(kind, []):
            sets = ", ".join(f"`{k} = {v}`" for k, v in event.get("set", {}).items())
            between = f"`{event['from']}` to `{event['to']}`" if kind == "edges" else kind[:-1]
            rows.append([between, f"$ {latex(event['when'])} = 0 $".replace("|", r"\vert "), event.get("direction", "any"), sets])
    if rows:
        page += ["Jumps and events:", ""] + table_of(["what", "where", "direction", "sets"], rows)
    contacts = [contact_row(contact) for contact in model.get("contacts", [])]
    if contacts:
        page += ["Contacts:", ""] + table_of(["contact", "gap", "restitution", "friction"], contacts)
    if model.get("parameters"):
        page += ["Parameters:", ""] + table_of(["name", "value"], [
            [f"$ {symbol(key)} $", f"$ {latex(value)} $"] for key, value in model["parameters"].items()])
    counts = {}
    for event in result["events"]:
        counts[event["kind"]] = counts.get(event["kind"], 0) + 1
    page += ["## Events", "", f"To t = {result['outcome']['t']:.6g}: "
             + ", ".join(f"{count} × `{kind}`" for kind, count in counts.items()) + ".", ""]
    page += table_of(["t", "event", "of", "why"], [
        [f"{event['t']:.7g}", f"`{event['kind']}`",
         ", ".join(f"`{who}`" for who in ([event["name"]] if event["name"] else event["surfaces"])).replace("|", r"\|"),
         "`" + event["reason"].replace("|", r"\|").replace("`", "'") + "`"] for event in result["events"][:8]])
    if len(result["events"]) > 8:
        page += ["The first eight are shown.", ""]
    if checks:
        page += ["## To compare with the source", "", "The tests compare a run with what is known of this system:", "",
                 *(f"* {title} (`test/models/{test}`)" for title, test in checks), "",
                 f"`slideway run gallery/{name} --csv -` writes the solution, to lay it beside a figure of the source.", ""]
    page += ["## The file", "", f"`models/gallery/{file.name}`:", "", "```toml", text.rstrip(), "```", ""]
    (target / f"{name}.md").write_text("\n".join(page), encoding="utf-8")


def make_gallery(command, source, target):
    target.mkdir(parents=True)
    folder = source / "models" / "gallery"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = checks_of_models(source)
        list(pool.map(lambda file: gallery_page(command, file, target, checks.get(file.stem, [])), sorted(folder.glob("*.toml"))))
    index = (folder / "README.md").read_text(encoding="utf-8")
    index = re.sub(r"\[`(\w+)\.toml`\]\(\w+\.toml\)", r"[\1](\1.md)", index)
    index = index.replace("# Gallery\n", "# Gallery\n\nThis part shows published systems: picture, equations, events and source of each.\n", 1)
    index = re.sub(r"\[([^\]]*)\]\((?!\w+\.md\))[^)]*\)", r"\1", index)
    index += "\n```{toctree}\n:hidden:\n\n" + "\n".join(file.stem for file in sorted(folder.glob("*.toml"))) + "\n```\n"
    (target / "index.md").write_text(index, encoding="utf-8")


def main():
    command, source, target = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    docs = source / "lib" / "docs"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(docs, target, ignore=shutil.ignore_patterns("tools", "__pycache__"))
    for part in MATHJAX_PARTS:
        to = target / "_static" / "mathjax" / part
        to.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (MATHJAX / part).is_dir() else shutil.copyfile)(MATHJAX / part, to)
    if len(sys.argv) > 4 and (pathlib.Path(sys.argv[4]) / "engine.js").exists():
        shutil.copytree(sys.argv[4], target / "_static" / "models")
    (target / "figures").mkdir()
    models = page_models(docs)
    with tempfile.TemporaryDirectory() as folder:
        for figure, (name, options) in FIGURES.items():
            file = pathlib.Path(folder) / f"{name}.toml"
            file.write_text(models[name], encoding="utf-8")
            draw(command, file, options, target / "figures" / f"{figure}.svg")
    make_gallery(command, source, target / "gallery")


main()
