"""Whatever the package has, it has by both doors, bit for bit: the compiled module, and the wheel over the C interface."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import slideway

from features import FEATURES

TESTS = pathlib.Path(__file__).parent
LIBRARY = pathlib.Path(os.environ.get("SLIDEWAY_BUILD_DIR", "")) / "lib" / "c" / "libslideway_c.so.1"


def asked(folder):
    """What features.py answers with the package of this folder."""
    environment = dict(os.environ, PYTHONPATH=str(folder), PYTHONWARNINGS="ignore")
    done = subprocess.run([sys.executable, str(TESTS / "features.py")], capture_output=True, text=True, env=environment, timeout=250)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    if not LIBRARY.exists():
        pytest.skip("there is no shared object of the C interface beside the package")
    source, package = TESTS.parent, tmp_path_factory.mktemp("wheel") / "slideway"
    package.mkdir()
    for path in (source / "slideway").iterdir():
        if path.suffix in (".py", ".pyi"):
            (package / path.name).symlink_to(path)
    (package / "_core.py").symlink_to(source / "door" / "_core.py")
    (package / LIBRARY.name).symlink_to(LIBRARY.resolve())
    (package / "gallery").symlink_to(source.parents[1] / "models" / "gallery")
    return asked(pathlib.Path(slideway.__file__).parents[1]), asked(package.parent)


@pytest.mark.parametrize("name", list(FEATURES))
def test_both_doors_give_the_same(doors, name):
    compiled, wheel = doors
    assert not (isinstance(compiled[name], str) and "Error: " in compiled[name]), compiled[name]
    assert wheel[name] == compiled[name]
