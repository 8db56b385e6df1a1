"""Builds and installs the package with the project's CMake:

    /usr/bin/python3 -m venv --system-site-packages ~/slideway
    ~/slideway/bin/pip install --no-build-isolation ./lib/python

needs no network, but what `sh cmake/setup.sh python` installs. The libraries that the module is linked with come into the package, so that
a wheel works on a Debian that has none of them, and so does the gallery. SLIDEWAY_BUILD_DIR names a build directory to take the module from.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
# Of the system itself: wherever Python runs, these are there.
SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|libpython)[.-]")


def version():
    header = (TOP / "lib/include/slideway/core/version.hpp").read_text()
    return ".".join(re.findall(r"#define SLIDEWAY_VERSION_[A-Z]+ (\d+)", header))


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve().parent
        build = os.environ.get("SLIDEWAY_BUILD_DIR")
        if build is None:
            build = pathlib.Path(self.build_temp).resolve()
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.check_call(["cmake", "-S", TOP, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release",
                                   "-DSLIDEWAY_BUILD_APPS=OFF", "-DSLIDEWAY_BUILD_TESTS=OFF",
                                   "-DSLIDEWAY_BUILD_BENCHMARKS=OFF", "-DSLIDEWAY_BUILD_PYTHON=ON", "-DBUILD_SHARED_LIBS=OFF",
                                   f"-DSLIDEWAY_PYTHON={sys.executable}"])
            jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
            subprocess.check_call(["cmake", "--build", build, "--target", "slideway_python", "--parallel", jobs])
        target.mkdir(parents=True, exist_ok=True)
        module, = (pathlib.Path(build) / "lib/python/slideway").glob("_core.*.so")
        shutil.copy2(module, target)
        self.bring_libraries(target / module.name, target / "libs")
        shutil.copytree(TOP / "models/gallery", target / "gallery", dirs_exist_ok=True)

    @staticmethod
    def bring_libraries(module, folder):
        # The module looks into `libs` beside it first, see lib/python/CMakeLists.txt.
        folder.mkdir(exist_ok=True)
        needed = subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout
        for line in needed.splitlines():
            found = re.match(r"\s*(\S+) => (/\S+)", line)
            if found and not SYSTEM.match(found[1]):
                shutil.copy2(os.path.realpath(found[2]), folder / found[1])


setup(
    name="slideway",
    version=version(),
    description="Ordinary differential equations whose right-hand side jumps: sliding modes, corners, impacts",
    license="BSD-3-Clause",
    packages=["slideway"],
    package_data={"slideway": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("slideway._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    python_requires=">=3.11",
    install_requires=["numpy"],
    extras_require={"all": ["scipy", "pandas", "matplotlib", "xarray", "tqdm"]},
)
