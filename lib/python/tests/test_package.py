"""The package is installed by pip and by CMake, and works from there without the sources."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BUILD = os.environ.get("SLIDEWAY_BUILD_DIR")
pytestmark = pytest.mark.skipif(BUILD is None, reason="SLIDEWAY_BUILD_DIR names no build directory")

USE = """
import slideway
assert slideway.__file__.startswith({folder!r}), slideway.__file__
assert slideway.load("evaporator").run().events[1].kind == "sliding_entry"
assert slideway.solve_ivp(lambda t, y: [-1.0 if y[0] > 0 else 1.0], (0, 2), [1.0]).events[0].kind == "sliding_entry"
"""


def use(folder):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    done = subprocess.run([sys.executable, "-c", USE.format(folder=str(folder))], cwd="/", capture_output=True, text=True,
                          env=dict(environment, PYTHONPATH=str(folder)))
    assert done.returncode == 0, done.stderr


def test_pip_installs_a_package_that_brings_its_libraries(tmp_path):
    # What setup.py writes beside itself stays out of the sources.
    top = tmp_path / "source"
    shutil.copytree(SOURCE, top / "lib/python", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    version = SOURCE.parents[1] / "lib/include/slideway/core/version.hpp"
    (top / "lib/include/slideway/core").mkdir(parents=True)
    shutil.copy2(version, top / "lib/include/slideway/core")
    shutil.copytree(SOURCE.parents[1] / "models/gallery", top / "models/gallery")
    target = tmp_path / "installed"
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", "--quiet",
                           "--target", target, top / "lib/python"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    use(target)
    assert any(path.name.startswith("libsundials_cvode") for path in (target / "slideway/libs").iterdir())
    shutil.rmtree(top)  # the gallery is in the package, too
    code = "import slideway; print(slideway.load('gallery/chua').name, len(slideway.catalogue.fields))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(target)})
    assert told.stdout.split() == ["chua", "5"], told.stderr
    assert (target / "slideway/py.typed").exists() and (target / "slideway/_core.pyi").exists()


def test_cmake_installs_the_package(tmp_path):
    prefix = tmp_path / "a prefix"
    done = subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", prefix], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    package, = prefix.glob("lib/python3*/dist-packages")
    use(package)
