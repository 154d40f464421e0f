"""Drafts of the built-in rules for functions of real packages that take time in the packages' own tests.

    python -m benchmarks.speedups.real_functions fetch --work DIR  source distributions, pinned, and their environment
    python -m benchmarks.speedups.real_functions draw --work DIR  the draw, made again: prints real_functions.toml
    python -m benchmarks.speedups.real_functions drafts --work DIR --half dev  functions with a draft by their text
    python -m benchmarks.speedups.real_functions judge --work DIR --half dev --results FILE
        verdicts, a line of JSON each

The draw: the tests of each package run once under cProfile, for at most PROFILE_S seconds of CPU time. Functions with a
loop or comprehension that were called MIN_CALLS times are ranked by own time; of the first TOP of each package EACH are
drawn by SEED, of all packages together TOTAL; a second shuffle halves them. The draw looks at no rule, and at no
function of an earlier draw: a half that was judged once is fresh no more. Draws are kept in real_functions.toml, as a
profile differs from run to run. `judge` takes what it is given by the packages' own tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import extract, keep_line, kept_lines, not_run
from codeopt.analysis.nodes import first_line, functions
from codeopt.rules import all_rules
from codeopt.workloads.function.view import function_rules

SEED = 4409
"""Seed of the present draw; rows of the one before it have 4408."""
TOP, EACH, TOTAL = 12, 3, 60
PROFILE_S, MIN_CALLS = 8, 20
MIN_RATIO = 1.1
DRAW = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Package:
    """One source distribution."""

    name: str
    version: str
    tests: str = "tests"
    """Folder or file of its tests."""

    def folder(self, work: Path) -> Path:
        """The unpacked distribution."""
        return work / "src" / f"{self.name}-{self.version}"


PACKAGES = (
    Package("anytree", "2.13.0"),
    Package("boltons", "26.2.0"),
    Package("deepdiff", "9.1.0"),
    Package("dpath", "2.2.0"),
    Package("glom", "25.12.0", "glom/test"),
    Package("intervaltree", "3.2.1", "test"),
    Package("lark", "1.3.1"),
    Package("lunr", "0.8.0"),
    Package("mistune", "3.4.0"),
    Package("networkx", "3.6.1", "networkx/algorithms"),
    Package("num2words", "0.5.14"),
    Package("parso", "0.8.7", "test"),
    Package("portion", "2.6.3"),
    Package("prettytable", "3.18.0"),
    Package("pycodestyle", "2.15.0"),
    Package("pydash", "8.1.0"),
    Package("pyflakes", "4.1.0", "pyflakes/test"),
    Package("pyparsing", "3.3.3"),
    Package("radon", "6.0.1", "radon/tests"),
    Package("rdflib", "7.6.0", "test"),
    Package("simpy", "4.1.2"),
    Package("sqlparse", "0.6.1"),
    Package("tabulate", "0.10.0", "test"),
    Package("textdistance", "4.6.3"),
    Package("tinydb", "4.9.0"),
    Package("toolz", "1.2.0", "toolz/tests"),
    Package("unidiff", "1.0.1"),
    Package("voluptuous", "0.16.0", "voluptuous/tests"),
    Package("vulture", "2.16"),
)
"""Chosen by their kinds and by having tests in their source distributions, before any rule had seen them."""
BUILDERS = (
    "pip",
    "setuptools>=77,<80",
    "wheel",
    "hatchling",
    "hatch-vcs",
    "hatch-fancy-pypi-readme",
    "setuptools-git-versioning",
    "poetry-core",
    "flit-core",
    "pdm-backend",
)
TESTERS = ("pytest", "hypothesis", "pytest-mock", "pytest-subtests", "freezegun", "pytz", "numpy", "pandas")

PROFILED = """
import cProfile, json, os, pstats, signal, sys, pytest
seconds, out = int(sys.argv[1]), sys.argv[2]
profile = cProfile.Profile()
def end(*_):
    profile.disable()
    rows = pstats.Stats(profile).stats.items()
    found = [[os.path.realpath(f), line, name, calls, own] for (f, line, name), (_, calls, own, *_r) in rows]
    with open(out, "w") as file:
        json.dump(found, file)
    os._exit(0)
signal.signal(signal.SIGPROF, end)
signal.setitimer(signal.ITIMER_PROF, seconds)
profile.enable()
pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:hypothesis", "-W", "ignore", *sys.argv[3:]])
end()
"""


def fetch(work: Path) -> None:
    """Download, unpack, and make the environment: the packages' own dependencies, and what their tests need."""
    python = work / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *BUILDERS, *TESTERS], check=True)
        wanted = [f"{package.name}=={package.version}" for package in PACKAGES]
        subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True)
    (work / "sdists").mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        if not package.folder(work).is_dir():
            download = ["download", "-q", "--no-build-isolation", "--no-binary", ":all:", "--no-deps"]
            one = [f"{package.name}=={package.version}", "-d", str(work / "sdists")]
            subprocess.run([python, "-m", "pip", *download, *one], check=True)
            (archive,) = (work / "sdists").glob(f"{package.name}-{package.version}.tar.gz")
            extract(archive, work / "src")


def profiled(work: Path, package: Package) -> list[list[Any]]:
    """File, line, name, calls and own seconds of each function that the package's tests reach."""
    folder, out = package.folder(work), work / "profiles" / f"{package.name}.json"
    out.parent.mkdir(exist_ok=True)
    if not out.exists():
        environment = {**os.environ, "PYTHONPATH": f"{folder / 'src'}:{folder}", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [work / "venv" / "bin" / "python", "-c", PROFILED, str(PROFILE_S), str(out), package.tests]
        log = (work / "profiles" / f"{package.name}.log").open("w")
        subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=log, timeout=PROFILE_S * 20)
    rows: list[list[Any]] = json.loads(out.read_text())
    return rows


def eligible(package: Package, folder: Path, rows: list[list[Any]]) -> list[tuple[str, str]]:
    """Path and qualified name of the functions with a loop that take most of their own time, first TOP."""
    found: list[tuple[str, str]] = []
    root = folder.resolve()
    for file, line, _name, calls, _own in sorted(rows, key=lambda row: -row[4]):
        path = Path(file)
        inside = path.is_relative_to(root) and path.suffix == ".py" and path.is_file()
        place = os.path.relpath(path, root)
        if calls >= MIN_CALLS and inside and "test" not in place and (name := qualified(path, line)):
            found.append((place, name))
    return found[:TOP]


def qualified(path: Path, line: int) -> str:
    """The qualified name of the function or method that begins on a line and has a loop; empty where there is none, or
    it stands in another function."""
    for name, node in functions(ast.parse(path.read_text()).body):
        if isinstance(node, ast.FunctionDef) and first_line(node) <= line <= node.lineno:
            loops = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
            return name if any(isinstance(part, loops) for part in ast.walk(node)) else ""
    return ""


def drawn(work: Path) -> list[dict[str, Any]]:
    """The draw, made again from new profiles."""
    with ThreadPoolExecutor(2) as pool:
        profiles = list(pool.map(lambda package: profiled(work, package), PACKAGES))
    earlier = [row for row in drawn_rows() if row["seed"] != SEED]
    all_drawn = []
    for package, rows in zip(PACKAGES, profiles, strict=True):
        seen = {(row["path"], row["function"]) for row in earlier if row["package"] == package.name}
        found = sorted(each for each in eligible(package, package.folder(work), rows) if each not in seen)
        for path, name in random.Random(f"{SEED} {package.name}").sample(found, min(EACH, len(found))):
            all_drawn.append({"package": package.name, "path": path, "function": name, "seed": SEED})
    chosen = random.Random(SEED).sample(all_drawn, min(TOTAL, len(all_drawn)))
    order = random.Random(f"{SEED} halves").sample(range(len(chosen)), len(chosen))
    for place, number in enumerate(order):
        chosen[number]["half"] = "dev" if place < len(order) // 2 else "fresh"
    return sorted(chosen, key=lambda each: (each["half"], each["package"], each["path"], each["function"]))


def drafted(text: str, name: str) -> list[str]:
    """The built-in rules that change a function, each alone, by what its text says."""
    rules = function_rules(all_rules(), name)
    return [rule.name for rule in rules if rule.rewrite(text) is not None]


def drawn_rows() -> list[dict[str, Any]]:
    """The functions of all draws."""
    rows: list[dict[str, Any]] = tomllib.loads(DRAW.read_text())["function"]
    return rows


def chosen(half: str, seed: int, package: str = "") -> list[dict[str, Any]]:
    """The functions of a half of one draw, of one package if it is named."""
    return [row for row in drawn_rows() if (row["half"], row["seed"]) == (half, seed) and package in row["package"]]


def judged(work: Path, row: dict[str, Any], seconds: int) -> dict[str, Any]:
    """Answer of `codeopt improve --model rules` on one function, with its package's tests as evidence."""
    folder = next(package for package in PACKAGES if package.name == row["package"]).folder(work)
    python = work / "venv" / "bin" / "python"
    command = [sys.executable, "-m", "codeopt", "improve", f"{row['path']}::{row['function']}", "--model", "rules"]
    options = ["--json", "--python", str(python), "--sandbox", "bubblewrap", "--max-seconds", str(seconds)]
    limit = seconds * 2 + 60
    found: dict[str, Any] = {}
    try:
        done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        error = f"no answer in {limit} s"
    else:
        found = json.loads(done.stdout) if done.stdout.startswith("{") else {}
        error = found.get("error", "") if found else (done.stderr.strip().splitlines() or ["no answer"])[-1]
    return {
        **row,
        "accepted": found.get("accepted", False),
        "ratio": (found.get("speedup") or {}).get("ratio"),
        "rounds": [(each["summary"], each.get("verdict")) for each in found.get("rounds", ())],
        "why_not": found.get("rules_skipped"),
        "error": error,
    }


def main() -> None:
    """One line a function, then the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("fetch", "draw", "drafts", "judge"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--half", choices=("dev", "fresh"), default="dev")
    parser.add_argument("--seed", type=int, default=SEED, help="of the draw (%(default)s)")
    parser.add_argument("--package", default="", help="only functions of this package")
    parser.add_argument("--seconds", type=int, default=240, help="of the clock, for one function (%(default)s)")
    parser.add_argument("--results", type=Path, help="a file of JSON lines: what is in it is not judged again")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    if arguments.step == "fetch":
        fetch(work)
        return
    missing = [package.name for package in PACKAGES if not package.folder(work).is_dir()]
    if missing:
        not_run(f"not fetched yet: {', '.join(missing)}")
    if arguments.step == "draw":
        for row in drawn(work):
            print("[[function]]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in row.items()))
        return
    rows = chosen(arguments.half, arguments.seed, arguments.package)
    if arguments.step == "drafts":
        _drafts(work, rows)
    else:
        _judge(work, rows, arguments.seconds, arguments.results)


def _drafts(work: Path, rows: list[dict[str, Any]]) -> None:
    folders = {package.name: package.folder(work) for package in PACKAGES}
    count = 0
    for row in rows:
        names = drafted((folders[row["package"]] / row["path"]).read_text(), row["function"])
        count += bool(names)
        print(f"{row['package']}: {row['function']}: {', '.join(names) or '-'}", flush=True)
    print(f"{count} of {len(rows)} functions have a draft by their text")


def _judge(work: Path, rows: list[dict[str, Any]], seconds: int, results: Path | None) -> None:
    done = {(each["package"], each["path"], each["function"]): each for each in kept_lines(results)}
    for row in rows:
        place = (row["package"], row["path"], row["function"])
        if place not in done:
            done[place] = judged(work, row, seconds)
            print(done[place], flush=True)
            keep_line(results, done[place])
    found = [done[row["package"], row["path"], row["function"]] for row in rows]
    faster = sum(each["accepted"] and (each["ratio"] or 0.0) >= MIN_RATIO for each in found)
    drafts = sum(bool(each["rounds"]) for each in found)
    unjudged = sum(bool(each["error"]) for each in found)
    print(
        f"{len(found)} functions: {drafts} with a draft, {faster} at least {MIN_RATIO}x, {unjudged} could not be judged"
    )


if __name__ == "__main__":
    main()
