"""Wheels without a network: installed packages packed again, this checkout's, and an environment with no more than
that."""

from __future__ import annotations

import email
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from codeopt.core.version import __version__

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
        "codeopt_checkout.pth": f"{ROOT}\n{ROOT / 'sandbox'}\n{sysconfig.get_path('purelib')}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: codeopt\nVersion: {__version__}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\ncodeopt = codeopt.__main__:main\n",
    }
    entries[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*entries, f"{info}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return wheel


def tool(name: str, folder: Path) -> Path:
    """A wheel of a command line tool that runs the one of this environment."""
    found = distribution(name)
    info = f"{name}-{found.version}.dist-info"
    entries: dict[str, str | bytes] = {
        f"{name}_tool.pth": f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {found.version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if texts := found.read_text("entry_points.txt"):
        entries[f"{info}/entry_points.txt"] = texts
    else:
        entries[f"{name}-{found.version}.data/scripts/{name}"] = Path(sysconfig.get_path("scripts"), name).read_bytes()
    entries[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in [*entries, f"{info}/RECORD"])
    wheel = folder / f"{name}-{found.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, content in entries.items():
            entry = zipfile.ZipInfo(file)
            entry.external_attr = 0o100755 << 16  # scripts stay programs
            archive.writestr(entry, content)
    return wheel


def build(folder: Path) -> Path:
    """The wheel of this checkout, as it would be published; by the build backend of this environment."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("codeopt-*.whl")
    return wheel


def bare(folder: Path, wheel: Path) -> Path:
    """A virtual environment with a wheel of codeopt, and what that requires without any extra; its folder of programs.

    The packages are copied from this environment, those that they require in turn too, and nothing else.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    programs = folder / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (metadata,) = site.glob("codeopt-*.dist-info/METADATA")
    copy_packages(email.message_from_string(metadata.read_text("utf-8")).get_all("Requires-Dist", []), folder)
    return programs


def copy_packages(requirements: Iterable[str], environment: Path) -> None:
    """What requirements name, and what that requires in turn, from this environment into another."""
    (site,) = environment.glob("lib/python*/site-packages")
    for name in closure(requirements):
        for file in distribution(name).files or ():
            if file.parts[0] != ".." and file.suffix != ".pyc":
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), site / file)
            elif file.parent.name == "bin" and file.parts[0] == "..":
                shutil.copy(str(file.locate()), environment / "bin")


def closure(requirements: Iterable[str]) -> list[str]:
    """The packages that requirements name, without extras, and all that those require."""
    found: dict[str, None] = {}
    todo = [Requirement(text) for text in requirements]
    while todo:
        wanted = todo.pop()
        if wanted.marker and not wanted.marker.evaluate({"extra": ""}) or canonicalize_name(wanted.name) in found:
            continue
        found[canonicalize_name(wanted.name)] = None
        todo += [Requirement(text) for text in distribution(wanted.name).requires or ()]
    return list(found)
