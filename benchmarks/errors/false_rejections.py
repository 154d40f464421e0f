"""Right and faster drafts of functions and programs: which share of them does the judge accept?

    python -m benchmarks.errors.false_rejections [NAME ...] [--results FILE] [--pairs 20] [--offline]

The drafts are in the folder honest: written for this, and speed-ups that packages released, of which both versions are
fetched by `pip download`. What cannot be fetched is said, and not counted. Exit status 1 where fewer than 95 % of the
drafts are accepted, with or without caveats.
"""

from __future__ import annotations

import argparse
import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import extract, keep_line, kept_lines, not_run
from benchmarks.errors.honest import HEAD, Honest, Upstream, drafts, releases
from codeopt.core.errors import CodeoptError
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.session import Session
from codeopt.engine.compare import compare
from codeopt_sandbox.errors import SandboxError

GOAL = 0.95
Z95 = 1.959964
"""Of the normal distribution, for an interval of 95 %."""


def name_of(case: Honest | Upstream) -> str:
    """`pairs_with_sum`, `hpack 4.0.0 -> 4.1.0 encode_integer`."""
    if isinstance(case, Upstream):
        return f"{case.package} {case.before} -> {case.after} {case.name}"
    return case.name


def judge(case: Honest | Upstream, pairs: int, seed: int | None = None) -> dict[str, Any]:
    """What `codeopt compare --json` says, or why nothing can be said."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            targets = _fetched(case, Path(folder)) if isinstance(case, Upstream) else _written(case, Path(folder))
        except subprocess.CalledProcessError:
            return {"verdict": "not fetched", "reason": "pip download failed", "caveats": []}
        calls = Path(folder, "calls.py")
        calls.write_text(HEAD + case.calls)
        program = isinstance(case, Honest) and bool(case.inputs)
        options = ImproveOptions(
            sandbox="bubblewrap",
            calls=calls if case.calls else None,
            cases=Path(folder, "cases") if program else None,
            no_tests=isinstance(case, Upstream) or not case.tests,
            max_pairs=pairs,
            input_seed=seed,
        )
        try:
            return compare(*targets, options, Session()).to_json()
        except (CodeoptError, SandboxError) as error:
            return {"verdict": "not judged", "reason": str(error), "caveats": []}


def _written(case: Honest, folder: Path) -> tuple[Target, Target]:
    """Write the two files, each in its own folder, with the tests next to them."""
    function = None if case.inputs else case.name
    found = []
    for side, text in (("old", case.old), ("new", case.new)):
        home = folder / side
        home.mkdir()
        (home / "subject.py").write_text(text)
        if case.tests:
            (home / "test_subject.py").write_text(case.tests)
        found.append(Target(home / "subject.py", function))
    (folder / "cases").mkdir()
    for number, text in enumerate(case.inputs):
        (folder / "cases" / f"input.{number}.txt").write_text(text)
    return found[0], found[1]


def _fetched(case: Upstream, folder: Path) -> tuple[Target, Target]:
    """Download and unpack both versions. Raises CalledProcessError if pip cannot fetch them."""
    found = []
    for version in (case.before, case.after):
        home = folder / version
        for name, wanted in ((case.package, f"=={version}"), *((each, "") for each in case.with_packages)):
            _download(name + wanted, folder / "wheels" / version, home)
        # Of a folder that git does not know, only the package itself is shown to the sandbox, not what it imports.
        subprocess.run(["git", "init", "--quiet", str(home)], check=True, capture_output=True)
        subprocess.run(["git", "-C", str(home), "add", "--all"], check=True, capture_output=True)
        found.append(Target(home / case.file, case.name))
    return found[0], found[1]


def _download(requirement: str, files: Path, home: Path) -> None:
    """A wheel, or where there is none what stands in the package's source. Raises CalledProcessError."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(files)]
    wheel = subprocess.run([*pip, "--only-binary", ":all:", requirement], capture_output=True)
    if wheel.returncode:
        subprocess.run([*pip, "--no-binary", ":all:", requirement], check=True, capture_output=True)
    for file in files.iterdir():
        if file.suffix in (".whl", ".zip"):
            shutil.unpack_archive(file, home, "zip")
        else:
            extract(file, home)
    for top in home.glob("*/setup.py") if wheel.returncode else ():
        source = top.parent / "src" if (top.parent / "src").is_dir() else top.parent
        shutil.copytree(source, home, dirs_exist_ok=True)
        shutil.rmtree(top.parent)


def row(case: Honest | Upstream, pairs: int) -> dict[str, Any]:
    """Return the result of one draft as one line of JSON."""
    started = time.monotonic()
    found = judge(case, pairs)
    return {
        "name": name_of(case),
        "upstream": isinstance(case, Upstream),
        "verdict": found["verdict"],
        "ratio": found.get("ratio"),
        "reason": found["reason"],
        "caveats": found["caveats"],
        "seconds": round(time.monotonic() - started, 1),
    }


def line(row: dict[str, Any]) -> str:
    """For the screen."""
    caveats = [f"      caveat: {each['input'][:80]}: {each['got'][:60]} ({each['cause']})" for each in row["caveats"]]
    why = [] if row["verdict"] == "faster" else [f"      {row['reason'][:300]}"]
    mark = "ok " if row["verdict"] == "faster" else "BAD"
    head = f"{mark} {row['name']:<44} {row['verdict']:<12} {row['ratio'] or 0:7.2f}x  {row['seconds']} s"
    return "\n".join([head, *why, *caveats])


def interval(part: int, whole: int) -> tuple[float, float]:
    """Wilson's, of a share: E. B. Wilson, Probable inference (1927)."""
    share, square = part / whole, Z95**2
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    half = Z95 / (1 + square / whole) * math.sqrt(share * (1 - share) / whole + square / (4 * whole**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The shares as Markdown."""
    lines = [
        "| drafts | number | accepted | of these with caveats | share | 95% interval |",
        "|---|--:|--:|--:|--:|---|",
    ]
    parts = {"written": [r for r in rows if not r["upstream"]], "released": [r for r in rows if r["upstream"]]}
    for name, part in [*parts.items(), ("**all**", rows)]:
        if part:
            good = [each for each in part if each["verdict"] == "faster"]
            caveats = sum(bool(each["caveats"]) for each in good)
            low, high = interval(len(good), len(part))
            share = f"{len(good) / len(part):.1%} | {low:.1%} - {high:.1%}"
            lines.append(f"| {name} | {len(part)} | {len(good)} | {caveats} | {share} |")
    return "\n".join(lines)


def main() -> int:
    """One line a draft, then the shares."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only drafts whose name has one of these in it")
    parser.add_argument("--results", type=Path, help="a file of JSON lines: what is in it is not measured again")
    parser.add_argument("--pairs", type=int, default=20, help="at most, of one comparison (%(default)s)")
    parser.add_argument("--offline", action="store_true", help="without the packages' versions")
    arguments = parser.parse_args()
    every: list[Honest | Upstream] = [*drafts(), *(() if arguments.offline else releases())]
    wanted = [c for c in every if not arguments.names or any(name in name_of(c) for name in arguments.names)]
    known = {each["name"]: each for each in kept_lines(arguments.results)}
    rows = []
    for case in wanted:
        found = known.get(name_of(case)) or row(case, arguments.pairs)
        if name_of(case) not in known:
            print(line(found), flush=True)
            keep_line(arguments.results, found)
        rows.append(found)
    missing = [each["name"] for each in rows if each["verdict"] == "not fetched"]
    rows = [each for each in rows if each["verdict"] != "not fetched"]
    if missing:
        print(f"not fetched, and not counted: {', '.join(missing)}")
    if not rows:
        not_run("no draft is left")
    print(table(rows))
    return int(sum(each["verdict"] == "faster" for each in rows) < GOAL * len(rows))


if __name__ == "__main__":
    raise SystemExit(main())
