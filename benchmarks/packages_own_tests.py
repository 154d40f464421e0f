"""`codeopt improve` on functions of packages, with their own tests as evidence; the whole suite must pass after it.

    python -m benchmarks.packages_own_tests [NAME ...] [--sdists DIR] [--short]

A source distribution carries its tests. Each is unpacked and put under git; one of its functions is replaced by the
slower equal that benchmarks/functions has of it. Then the built-in rules try, and then a model that is scripted: it
errs first, as the wrong version there does, and then writes what the package's authors wrote. Needs the network (pip
download), or DIR with what `pip download --no-binary :all: --no-deps -d DIR NAME` has put there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import commit_all, extract, git, not_run
from benchmarks.functions import cases
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.splice import splice
from tests.support.wire_server import WireServer


@dataclass(frozen=True)
class Package:
    """A source distribution."""

    name: str
    tests: str
    functions: tuple[str, ...]
    """Names as in benchmarks/functions."""


PACKAGES = (
    Package("toolz", "toolz/tests", ("toolz.itertoolz:groupby", "toolz.itertoolz:diff")),
    Package("sqlparse", "tests", ("sqlparse.utils:remove_quotes",)),
    Package("boltons", "tests", ("boltons.iterutils:bucketize",)),
    Package("more-itertools", "tests", ("more_itertools.more:interleave_longest",)),
)


def download(package: Package, folder: Path) -> None:
    """The package's newest source distribution."""
    where = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package.name, "-d", str(folder))
    if subprocess.run([*where, package.name], check=False).returncode:
        not_run(f"pip cannot download the source distribution of {package.name}")


def unpack(package: Package, sdists: Path, folder: Path) -> Path:
    """A package's source distribution, unpacked."""
    archive = next(sdists.glob(f"{package.name.replace('-', '_')}-*.tar.gz"), None)
    if archive is None:
        not_run(f"no source distribution of {package.name} in {sdists}")
    extract(archive, folder)
    return folder / archive.name.removesuffix(".tar.gz")


def whole_suite(root: Path, tests: str) -> str:
    """pytest's last line without its seconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests]
    done = subprocess.run(
        command, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True
    )
    return re.sub(r" in [\d.]+s.*", "", done.stdout.strip().rpartition("\n")[2])


def improve(root: Path, target: str, *flags: str) -> dict[str, Any]:
    """What `codeopt improve --json` prints; its words on standard error where it prints nothing."""
    command = [sys.executable, "-m", "codeopt", "improve", target, "--sandbox", "bubblewrap", "--json", "-q", *flags]
    done = subprocess.run(
        command, cwd=root, env={**os.environ, "OPENAI_API_KEY": "none"}, capture_output=True, text=True
    )
    if not done.stdout.strip():
        return {"accepted": False, "reason": done.stderr.strip(), "rounds": [], "evidence": {}}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def one(root: Path, package: Package, name: str, flags: Sequence[str]) -> dict[str, Any]:
    """Rules, then the scripted model, on one function that was made slow."""
    case = next(case for case in cases() if case.target == name)
    module, _, function = name.partition(":")
    path = root / (module.replace(".", "/") + ".py")
    original = path.read_text()
    authors = read_function(path, function).text
    path.write_text(splice(original, function, case.slow))
    git(root, "commit", "-qam", "slow")
    target = f"{path.relative_to(root)}::{function}"
    rules = improve(root, target, "--model", "rules", *flags)
    told = ["It is slow.\nVERDICT: IMPROVE", reply(case.wrong), "It was wrong.\nVERDICT: IMPROVE", reply(authors)]
    with WireServer([*told, "Good.\nVERDICT: DONE"]) as server:
        model = improve(root, target, "--base-url", server.base_url, "--model", server.model, "--write", *flags)
    suite = whole_suite(root, package.tests)
    path.write_text(original)
    git(root, "commit", "-qam", "as it was", "--allow-empty")
    return {"target": name, "rules": rules, "model": model, "suite": suite}


def reply(code: str) -> str:
    """Format a reply like a model's."""
    return f"SUMMARY: another version\n```python\n{code}\n```\n"


def show(found: dict[str, Any], before: str, seconds: float) -> str:
    """A few lines on one function."""
    model, rules = found["model"], found["rules"]
    evidence = model.get("evidence") or {}
    speedup = (model.get("speedup") or {}).get("ratio") or 0.0
    rounds = ", ".join(str(each["verdict"]) for each in model["rounds"])
    good = model["accepted"] and found["suite"] == before
    return (
        f"{'ok ' if good else 'BAD'} {found['target']:<44} rounds: {rounds}   "
        f"{speedup:.1f}x   {evidence.get('sources')} {evidence.get('tests')} tests   {seconds:.0f} s\n"
        f"      whole suite: {found['suite']} (before: {before})\n"
        f"      rules: {'accepted' if rules['accepted'] else rules['reason']}"
        + ("" if model["accepted"] else f"\n      model: {model['reason']}")
    )


def main(names: Iterable[str], sdists: Path | None, flags: Sequence[str]) -> None:
    """A few lines a function."""
    for package in PACKAGES:
        chosen = [name for name in package.functions if not names or any(part in name for part in names)]
        if not chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            if sdists is None:
                download(package, Path(folder))
            root = unpack(package, sdists or Path(folder), Path(folder))
            commit_all(root, "as it came")
            before = whole_suite(root, package.tests)
            for name in chosen:
                started = time.monotonic()
                print(show(one(root, package, name, flags), before, time.monotonic() - started), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sdists", type=Path)
    parser.add_argument("--short", action="store_true", help="few pairs and no profile, to see that it runs")
    arguments = parser.parse_args()
    main(arguments.names, arguments.sdists, ("--max-pairs", "7", "--no-profile") if arguments.short else ())
