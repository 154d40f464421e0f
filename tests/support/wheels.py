"""Wheels without a network: installed packages packed again, and one that stands for this checkout."""

from __future__ import annotations

import sysconfig
import zipfile
from importlib.metadata import distribution
from pathlib import Path

from codeopt import __version__

ROOT = Path(__file__).parents[2]


def pack(name: str, folder: Path) -> Path:
    """The wheel of a package of this environment, as it was installed; pure Python only."""
    found = distribution(name)
    wheel = folder / f"{found.metadata['Name'].replace('-', '_')}-{found.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in found.files or ():
            if not (file.parts[0] == ".." or file.suffix == ".pyc" or file.name in ("INSTALLER", "REQUESTED")):
                archive.write(str(file.locate()), str(file))
    return wheel


def checkout(folder: Path) -> Path:
    """A wheel of codeopt that runs the code of this checkout with the packages of this environment."""
    wheel, info = folder / f"codeopt-{__version__}-py3-none-any.whl", f"codeopt-{__version__}.dist-info"
    entries = {
        "codeopt_checkout.pth": f"{ROOT}\n{sysconfig.get_path('purelib')}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: codeopt\nVersion: {__version__}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\ncodeopt = codeopt.cli:main\n",
    }
    entries[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*entries, f"{info}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return wheel
