"""Makes slideway-VERSION-py3-none-PLATFORM.whl: one wheel for every CPython, over the C interface.

    python3 wheel.py SHARED_OBJECT FOLDER

SHARED_OBJECT is the relocatable libslideway_c.so.1 (cmake/relocatable.sh). The same input gives the same bytes, as long as
advzip is there or is not.
"""

import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]


def floor_of(library):
    """The newest version of glibc that the object asks for."""
    symbols = subprocess.run(["objdump", "-T", library], check=True, capture_output=True, text=True).stdout
    return max(tuple(int(part) for part in found) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols))


def shrink(wheel):
    """Compresses the entries once more: a longer search finds a shorter form of the same format, 4 % less."""
    if shutil.which("advzip") is None:
        print("wheel.py: there is no advzip, and the wheel is larger; Debian's advancecomp has it", file=sys.stderr)
        return
    subprocess.run(["advzip", "--recompress", "--shrink-insane", "--quiet", str(wheel)], check=True)


def main(library, folder):
    header = (TOP / "lib/include/slideway/core/version.hpp").read_text()
    version = ".".join(re.findall(r"#define SLIDEWAY_VERSION_[A-Z]+ (\d+)", header))
    tag = "py3-none-manylinux_{}_{}_x86_64".format(*floor_of(library))
    info = f"slideway-{version}.dist-info"
    files = {f"slideway/{path.name}": path.read_bytes() for path in sorted((HERE.parent / "slideway").iterdir())
             if path.suffix in (".py", ".pyi") or path.name == "py.typed"}
    files["slideway/_core.py"] = (HERE / "_core.py").read_bytes()
    files["slideway/libslideway_c.so.1"] = pathlib.Path(library).read_bytes()
    for path in sorted((TOP / "models/gallery").rglob("*")):
        if path.is_file():
            files[f"slideway/gallery/{path.relative_to(TOP / 'models/gallery')}"] = path.read_bytes()
    files[f"{info}/licenses/LICENSE"] = (TOP / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = "\n".join([
        "Metadata-Version: 2.1", "Name: slideway", f"Version: {version}",
        "Summary: Ordinary differential equations whose right-hand side jumps: sliding modes, corners, impacts",
        "License: BSD-3-Clause", "Requires-Python: >=3.8", "Requires-Dist: numpy", "Provides-Extra: all",
        *(f"Requires-Dist: {name}; extra == 'all'" for name in ("scipy", "pandas", "matplotlib", "xarray", "tqdm")), ""]).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: slideway\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    target = pathlib.Path(folder) / f"slideway-{version}-{tag}.whl"
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, data)
    shrink(target)
    print(target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
