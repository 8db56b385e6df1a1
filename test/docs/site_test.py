"""Builds the manual as a site, with warnings as errors, and looks at what came out.

    site_test.py CMAKE BUILD_DIRECTORY

It is at most 20 MB, loads nothing from elsewhere, has every picture and link of its own, and a search index.
"""

import html.parser
import pathlib
import subprocess
import sys
import urllib.parse

MOST_BYTES = 20 * 1024 * 1024  # promised to whoever packs it
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "object": "data"}


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.loaded, self.linked = [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag in LOADING and attrs.get(LOADING[tag]):
            self.loaded.append(attrs[LOADING[tag]])
        if tag == "a" and attrs.get("href"):
            self.linked.append(attrs["href"])


def main():
    cmake, build = sys.argv[1], pathlib.Path(sys.argv[2])
    done = subprocess.run([cmake, "--build", str(build), "--target", "slideway_docs"], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout[-4000:], done.stderr[-4000:])
        return 1
    site = build / "docs" / "html"
    problems = []
    # The page that runs models is not packed, and test/web has its budget.
    page_of_models = site / "_static" / "models"
    size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file() and page_of_models not in file.parents)
    if size > MOST_BYTES:
        problems.append(f"the manual has {size} bytes, more than {MOST_BYTES}")
    if not (site / "searchindex.js").exists():
        problems.append("there is no search index")
    pages = sorted(site.rglob("*.html"))
    for page in pages:
        links = Links()
        links.feed(page.read_text(encoding="utf-8"))
        for link in links.loaded + links.linked:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if link in links.loaded:
                    problems.append(f"{page.name} loads {link}")
            elif parts.path and not (page.parent / urllib.parse.unquote(parts.path)).exists():
                problems.append(f"{page.name}: there is no {link}")
    for sheet in site.rglob("*.css"):
        if "url(http" in sheet.read_text(encoding="utf-8").replace('"', ""):
            problems.append(f"{sheet.name} loads something from elsewhere")
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {size / 1e6:.1f} MB, {len(problems)} problems")
    return 1 if problems or len(pages) < 60 else 0


sys.exit(main())
