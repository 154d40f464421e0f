"""Functions of installed, well-known packages, each against a slower equal of itself and an almost equal wrong one.

    python -m benchmarks.errors.functions_of_packages [NAME ...] [--results FILE] [--pairs 20]

For each: the wrong version must be rejected with a counterexample, the slow one be slower, and the original put back
in its place be faster. The programs are in the folder functions, a package a file; how much evidence came of calls
files, doctests and type hints is reported. A package that is not installed is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import keep_line, kept_lines, not_run
from benchmarks.errors.functions import HEAD, Case, cases
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Program, Target, read_program
from codeopt.core.session import Session
from codeopt.engine.compare import compare
from codeopt.workloads.source.splice import splice


def installed(case: Case) -> bool:
    """Return whether its package is installed."""
    return importlib.util.find_spec(case.target.partition(":")[0].partition(".")[0]) is not None


def versions(case: Case) -> tuple[Target, Program, Program, Program]:
    """The function, and the original, the slow and the wrong module, all in the place of the installed one."""
    module, _, name = case.target.partition(":")
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    original = read_program(Path(spec.origin))
    texts = [splice(original.source, name, text) for text in (case.slow, case.wrong)]
    slow, wrong = (replace(original, source=text, text=text) for text in texts)
    return Target(original.path, name), original, slow, wrong


def judge(case: Case, folder: Path, pairs: int) -> dict[str, Any]:
    """The three verdicts, as `codeopt compare --json` prints them; bubblewrap has no daemon to wait for."""
    target, original, slow, wrong = versions(case)
    calls = folder / "calls.py"
    calls.write_text(HEAD + case.calls)
    options = ImproveOptions(
        sandbox="bubblewrap", calls=calls if case.calls else None, no_tests=True, max_pairs=pairs, workload="function"
    )
    sides = {"wrong": (original, wrong), "slow": (original, slow), "back": (slow, original)}
    found = {}
    for name, programs in sides.items():
        started = time.monotonic()
        found[name] = compare(target, target, options, Session(), programs=programs).to_json()
        found[name]["took_s"] = time.monotonic() - started
    return found


def row(case: Case, found: dict[str, Any]) -> dict[str, Any]:
    """Return the result of one function as one line of JSON."""
    evidence = found["back"]["evidence"] or {}
    verdicts = {name: found[name]["verdict"] for name in ("wrong", "slow", "back")}
    return {
        "target": case.target,
        **verdicts,
        "right": tuple(verdicts.values()) == ("wrong", "slower", "faster"),
        "ratio": found["back"]["ratio"],
        "sources": evidence.get("sources", {}),
        "line_coverage": evidence.get("line_coverage", 0.0),
        "counterexample": found["wrong"]["reason"],
        "reasons": {name: found[name]["reason"] for name in ("slow", "back") if found[name]["reason"]},
        "seconds": {name: round(found[name]["took_s"], 1) for name in WANTED},
    }


def line(row: dict[str, Any]) -> str:
    """For the screen."""
    verdicts = ", ".join(row[name] for name in ("wrong", "slow", "back"))
    sources = ", ".join(f"{count} {name}" for name, count in row["sources"].items())
    text = f"{'ok ' if row['right'] else 'BAD'} {row['target']:<44} {verdicts:<26} {row['ratio'] or 0:7.2f}x  "
    covered = "not measured" if row["line_coverage"] is None else f"{row['line_coverage']:.0%}"
    text += f"{sources}  {covered}  {row['seconds']['back']} s\n      {row['counterexample'][:150]}"
    return text if row["right"] else f"{text}\n      {row['reasons']}"


def table(rows: list[dict[str, Any]]) -> str:
    """The sums, by package, as Markdown."""
    packages: dict[str, list[dict[str, Any]]] = {}
    for each in rows:
        packages.setdefault(each["target"].partition(".")[0], []).append(each)
    lines = ["| package | functions | wrong ones rejected | slow ones slower | put back faster | calls by source |"]
    lines.append("|---|--:|--:|--:|--:|---|")
    for name, found in [*packages.items(), ("**all**", rows)]:
        counts: Counter[str] = Counter()
        for each in found:
            counts.update(each["sources"])
        right = [sum(e[key] == want for e in found) for key, want in WANTED.items()]
        sources = ", ".join(f"{count} {source}" for source, count in counts.most_common())
        lines.append(f"| {name} | {len(found)} | {right[0]} | {right[1]} | {right[2]} | {sources} |")
    return "\n".join(lines)


WANTED = {"wrong": "wrong", "slow": "slower", "back": "faster"}


def main() -> None:
    """One line a function, then the sums."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only functions whose name has one of these in it")
    parser.add_argument("--results", type=Path, help="a file of JSON lines: what is in it is not measured again")
    parser.add_argument("--pairs", type=int, default=20, help="at most, of one comparison (%(default)s)")
    arguments = parser.parse_args()
    wanted = [c for c in cases() if not arguments.names or any(name in c.target for name in arguments.names)]
    present = [case for case in wanted if installed(case)]
    if not present:
        not_run("no package of these functions is installed")
    known = {each["target"]: each for each in kept_lines(arguments.results)}
    rows = []
    for case in present:
        if case.target not in known:
            with tempfile.TemporaryDirectory() as folder:
                known[case.target] = row(case, judge(case, Path(folder), arguments.pairs))
            print(line(known[case.target]), flush=True)
            keep_line(arguments.results, known[case.target])
        rows.append(known[case.target])
    print(table(rows))
    for name in WANTED:
        print(f"judge's seconds, {name}: median {median(each['seconds'][name] for each in rows):.1f}")


if __name__ == "__main__":
    main()
