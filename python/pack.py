"""Makes a wheel of the package with a compiled part that exists already: pack.py LIBRARY OUT.

`make wheel` lets maturin compile the package anew, optimized. The tests take the library that `cargo test` has built, and install it as users
install a wheel: from a file, by pip, with the metadata of pyproject.toml.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from pyproject_metadata import StandardMetadata
from wheel.wheelfile import WheelFile

try:
    import tomllib
except ModuleNotFoundError:  # Before Python 3.11.
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
# The oldest version of Python whose stable interface the compiled part uses, as in Cargo.toml.
PYTHON = "cp310"


def metadata() -> StandardMetadata:
    """What pyproject.toml says about the package, and its version, which is that of the workspace."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))
    found = StandardMetadata.from_pyproject(project, project_dir=HERE, allow_extra_keys=True)
    workspace = tomllib.loads((HERE.parent / "Cargo.toml").read_text(encoding="utf-8"))
    found.dynamic.remove("version")
    found.version = workspace["workspace"]["package"]["version"]
    return found


def wheel(library: Path, out: Path) -> Path:
    """Writes the wheel into the folder `out`."""
    about = metadata()
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{PYTHON}-abi3-{platform}"
    file = out / f"{about.name}-{about.version}-{tag}.whl"
    information = f"{about.name}-{about.version}.dist-info"
    with WheelFile(file, "w") as archive:
        for path in sorted((HERE / "rubric").iterdir()):
            if path.is_file():
                archive.write(path, f"rubric/{path.name}")
        archive.write(library, "rubric/_rubric.abi3.so")
        archive.writestr(f"{information}/METADATA", str(about.as_rfc822()))
        archive.writestr(f"{information}/WHEEL", f"Wheel-Version: 1.0\nGenerator: pack.py\nRoot-Is-Purelib: false\nTag: {tag}\n")
    return file


if __name__ == "__main__":
    print(wheel(Path(sys.argv[1]), Path(sys.argv[2])))
