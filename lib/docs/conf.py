"""How Sphinx builds the manual. The target `slideway_docs` passes the version and the folder of Doxygen's XML."""

import os
import pathlib

project = "slideway"
author = "the slideway authors"
copyright = "the slideway authors"
release = version = os.environ.get("SLIDEWAY_VERSION", "")
extensions = ["myst_parser", "breathe", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
exclude_patterns = []

html_theme = "furo"
html_title = "slideway"
html_static_path = ["_static"]
# The page that runs models is part of the manual where it was built.
html_js_files = ["run_models.js"] if (pathlib.Path(__file__).parent / "_static" / "models").is_dir() else []
html_copy_source = False
html_show_sourcelink = False

# Debian's MathJax is of version 2.
myst_update_mathjax = False
mathjax_path = "mathjax/MathJax.js?config=TeX-AMS_CHTML"
mathjax2_config = {
    "tex2jax": {
        "inlineMath": [["\\(", "\\)"]],
        "displayMath": [["\\[", "\\]"]],
        "ignoreClass": "tex2jax_ignore|mathjax_ignore|document",
        "processClass": "tex2jax_process|mathjax_process|math|output_area",
    },
    "showMathMenu": False,
    "messageStyle": "none",
}

breathe_projects = {"slideway": os.environ.get("SLIDEWAY_DOXYGEN_XML", "")}
breathe_default_project = "slideway"
breathe_default_members = ("members",)
primary_domain = "cpp"
highlight_language = "text"
