"""The package has types that mypy finds consistent, and docstrings."""

import ast
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import slideway

PACKAGE = pathlib.Path(__file__).parents[1] / "slideway"

USE = """
import numpy as np
import slideway

result = slideway.load("evaporator").run(rtol=1e-8)
t: np.ndarray = result.t
first: slideway.Event = result.events[0]
kind: str = first.kind
model: slideway.Model = slideway.catalogue["evaporator"]
sweep: slideway.Sweep = model.sweep(R_b=np.linspace(1, 2, 3))
solved: slideway.Result = slideway.solve_ivp(lambda t, y: -y, (0, 1), [1.0], method="BDF")
"""


def mypy(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir", os.devnull, *arguments],
                          capture_output=True, text=True, **options)


def test_mypy_accepts_the_package_and_a_use_of_it(tmp_path):
    pytest.importorskip("mypy")
    use = tmp_path / "use.py"
    use.write_text(USE)
    environment = dict(os.environ, MYPYPATH=str(PACKAGE.parent))
    settings = tmp_path / "mypy.ini"
    # The types of other libraries take mypy half a minute, and are not what is looked at.
    settings.write_text("[mypy]\nignore_missing_imports = True\ndisallow_untyped_defs = True\n"
                        "[mypy-numpy.*]\nfollow_imports = skip\nfollow_imports_for_stubs = True\n"
                        "[mypy-pandas.*,xarray.*,matplotlib.*,tqdm.*]\nfollow_imports = skip\n"
                        "follow_imports_for_stubs = True\n[mypy-use]\ndisallow_untyped_defs = False\n")
    done = mypy("--config-file", str(settings), str(PACKAGE), str(use), cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stdout


def test_the_package_is_marked_as_typed_and_tells_its_version():
    assert (PACKAGE / "py.typed").exists()
    assert slideway.__version__.count(".") == 2


def test_everything_public_has_a_docstring():
    for name in slideway.__all__:
        thing = getattr(slideway, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_no_modules_import_each_other_in_a_circle():
    imports = {}
    for path in PACKAGE.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # An import inside a function runs when all modules are loaded, so it makes no circle.
        found = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1]
        imports[path.stem] = {name for node in found for name in ([node.module] if node.module else [a.name for a in node.names])} & \
            {other.stem for other in PACKAGE.glob("*.py")}
    left = dict(imports)
    while left:
        free = [name for name, needed in left.items() if not needed & set(left)]
        assert free, f"a circle among {sorted(left)}"
        for name in free:
            del left[name]


def test_the_import_brings_no_optional_library():
    code = "import sys, slideway; print([m for m in ('scipy', 'pandas', 'matplotlib', 'xarray', 'tqdm') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_the_package_over_the_c_interface_has_every_name_of_the_compiled_module_that_is_used():
    used = {node.attr for path in PACKAGE.glob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "_core"}
    assert "parse" in used
    text = (PACKAGE.parent / "door" / "_core.py").read_text(encoding="utf-8")
    made = {node.name if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else node.targets[0].id
            for node in ast.parse(text).body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) or (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name))}
    assert used - made == set()
