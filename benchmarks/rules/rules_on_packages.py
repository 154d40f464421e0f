"""The rules on every function of a package: how many they change, and whether its own tests still pass.

    pip download --no-binary :all: --no-deps -d sdists networkx toolz sqlparse
    python -m benchmarks.rules.rules_on_packages sdists/*.tar.gz --work /tmp/packages

An sdist is unpacked twice. In one copy every rule for modules rewrites every function that it matches, hot or not,
as importing the module gives its names away. Then the package's own tests run in both copies.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks import extract, not_run
from codeopt.rules import Hot, all_rules

SECONDS = 60
"""A module on which the rules take longer is left as it is."""
TESTS = {
    **{name: name for name in ("networkx", "toolz", "jsonschema")},
    "sympy": "sympy/ntheory sympy/combinatorics sympy/sets",
}
"""What to run of a package, where it is not `tests`."""
PARTS = {"sympy": ("sympy/ntheory", "sympy/combinatorics", "sympy/sets", "sympy/core")}
"""What to rewrite of a package that is too large for all of it."""


class _TooLong(Exception):
    """The rules took too long on one module."""


def unpack(sdist: Path, to: Path) -> Path:
    """The one folder of the archive."""
    shutil.rmtree(to, ignore_errors=True)
    extract(sdist, to)
    (folder,) = to.iterdir()
    return folder


def modules(folder: Path, name: str = "") -> Iterator[Path]:
    """The package's own modules, or those of the parts that are taken of it, without its tests."""
    for path in sorted(found for part in PARTS.get(name, (".",)) for found in (folder / part).rglob("*.py")):
        parts = path.relative_to(folder).parts
        if not any(
            re.search(r"^(tests?|testing|docs?|examples?|benchmarks?|build|setup\.py|conftest)", p) for p in parts
        ):
            yield path


def rewrite(path: Path) -> Counter[str]:
    """Apply the rules to a module in its place; how many lines each changed."""
    text = path.read_text("utf-8")
    count: Counter[str] = Counter()
    for rule in (rule for rule in all_rules() if not rule.scripts_only and rule.safety == "safe"):
        new = rule.rewrite(text, Hot(), exported=True)
        if new is not None:
            count[rule.name] += len(set(new.splitlines()) - set(text.splitlines()))
            text = new
    if count:
        ast.parse(text)
        path.write_text(text, "utf-8")
    return count


def all_modules(folder: Path, name: str) -> tuple[Counter[str], int, list[str]]:
    """Rewritten lines by rule, modules that changed, and those on which the rules took too long."""
    total: Counter[str] = Counter()
    changed, late = 0, []
    for path in modules(folder, name):
        signal.signal(signal.SIGALRM, _ring)
        signal.alarm(SECONDS)
        try:
            found = rewrite(path)
        except _TooLong:
            late.append(path.name)
            continue
        finally:
            signal.alarm(0)
        changed += bool(found)
        total += found
    return total, changed, late


def _ring(_number: int, _frame: object) -> None:
    raise _TooLong


def tests(folder: Path, name: str, seconds: float) -> str:
    """The last line of pytest's report."""
    roots = [path for path in (folder / "src", folder) if path.is_dir()]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, roots)), "PYTHONDONTWRITEBYTECODE": "1"}
    words = TESTS.get(name, "tests").split()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--maxfail=30",
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore",
        *words,
    ]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"longer than {seconds:.0f} s"
    lines = [line for line in done.stdout.splitlines() if re.search(r"\d+ (passed|failed|error)", line)]
    return re.sub(r" in [\d.]+s.*", "", lines[-1]).strip("= ") if lines else done.stdout[-300:] + done.stderr[-300:]


def main() -> int:
    """A paragraph a package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sdists", nargs="+", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=900, help="for one run of a package's tests")
    arguments = parser.parse_args()
    missing = [str(sdist) for sdist in arguments.sdists if not sdist.is_file()]
    if missing:
        not_run(f"no such source distribution: {', '.join(missing)}")
    warnings.simplefilter("ignore")
    for sdist in arguments.sdists:
        name = re.sub(r"-\d[^-]*$", "", sdist.name.removesuffix(".tar.gz")).replace("_", "-")
        before = unpack(sdist, arguments.work / f"{name}.before")
        after = unpack(sdist, arguments.work / f"{name}.after")
        total, changed, late = all_modules(after, name)
        lines = ", ".join(f"{rule} {count}" for rule, count in total.most_common()) or "none"
        print(f"{name}: {changed} of {len(list(modules(after, name)))} modules changed; new lines: {lines}")
        if late:
            print(f"  left as they are, longer than {SECONDS} s: {', '.join(late)}")
        print(f"  before: {tests(before, name, arguments.seconds)}")
        if total:
            print(f"  after:  {tests(after, name, arguments.seconds)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
