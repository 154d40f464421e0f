"""Clear drafts of bundled problems and of package functions under `--task readability`: score, measures, pace.

    python -m benchmarks.readability [NAME ...] [--pairs 40]

Each draft, written by hand in benchmarks/readability_drafts, is given by a scripted model to the task as a user runs
it; nobody is asked which is preferred, so the measures decide. Printed are the score before and after, what the draft
was told to be, its time against the original's (2.0 is twice as fast), and what the score is made of. A package that is
not installed is left out. The command fails where a draft is not accepted.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.options import ImproveOptions
from codeopt.core.target import Target
from codeopt.engine.improve import improve
from codeopt.engine.open_session import open_session

HERE = Path(__file__).parent
PROBLEMS, DRAFTS = HERE.parent / "problems", HERE / "readability_drafts"
FUNCTIONS = {
    "intranges_contain": ("idna.intranges", "CALLS = [((k, (4294967299, 30064771081)), {}) for k in range(12)]\n"),
    "unquote_unreserved": ("requests.utils", "CALLS = [(('/a%20b%7E%' + end,), {}) for end in ('41', 'z', '2', '')]\n"),
    "measure_table": ("click.formatting", "CALLS = [(([('a' * k, 'b'), ('cc', 'd')],), {}) for k in range(9)]\n"),
}  # fmt: skip
"""Function -> its module, and calls of it."""


@dataclass(frozen=True)
class Draft:
    """One clear draft and what it is a draft of."""

    name: str
    target: Target
    calls: str = ""

    @property
    def text(self) -> str:
        """What the model answers with."""
        return (DRAFTS / f"{self.name.replace('-', '_')}.py").read_text("utf-8")


def drafts(names: list[str]) -> list[Draft]:
    """Those that are wanted and whose packages are here; all where none is named."""
    found = [Draft(p.stem.replace("_", "-"), Target(Path())) for p in sorted(DRAFTS.glob("*.py"))]
    problems = [Draft(d.name, Target(PROBLEMS / d.name / "slow.py")) for d in found if (PROBLEMS / d.name).is_dir()]
    functions = []
    for name, (module, calls) in FUNCTIONS.items():
        spec = importlib.util.find_spec(module) if importlib.util.find_spec(module.partition(".")[0]) else None
        if spec and spec.origin:
            functions.append(Draft(name, Target(Path(spec.origin), name), calls))
    return [draft for draft in (*problems, *functions) if not names or draft.name in names]


def judged(draft: Draft, folder: Path, pairs: int) -> dict[str, Any]:
    """Return the object that `codeopt improve --json` prints about it."""
    script, calls = folder / "script.txt", folder / "calls.py"
    reply = f"SUMMARY: clearer\n\n```python\n{draft.text}```\n"
    script.write_text(f"Names and reasons.\nVERDICT: IMPROVE\n--- next answer ---\n{reply}", "utf-8")
    calls.write_text(draft.calls, "utf-8")
    options = ImproveOptions(
        task="readability", model=f"scripted:{script}", max_rounds=1, max_pairs=pairs, sandbox="bubblewrap",
        calls=calls if draft.calls else None, no_tests=bool(draft.calls), run_dir=folder / "runs",
    )  # fmt: skip
    return improve(draft.target, options, open_session()).to_json()


def row(name: str, found: dict[str, Any]) -> str:
    """One line of the table, and one of measures."""
    (tried,) = found["rounds"][-1:]
    score = found["task_score"] or tried["task_score"]
    time = (found["speedup"] or tried["speedup"] or {}).get("ratio")
    told = "accepted" if found["accepted"] else found["reason"]
    head = f"{name:<20}{score['before']:>8.2f}{score['after']:>8.2f}{time or 0:>8.2f}  {told}"
    rows = found["task_measures"] or tried["task_measures"]
    return f"{head}\n    " + ", ".join(f"{m['name']} {m['before']:g} -> {m['after']:g}" for m in rows)


def main() -> int:
    """A row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--pairs", type=int, default=40, help="of timed runs, at most")
    arguments = parser.parse_args()
    print(f"{'':<20}{'before':>8}{'after':>8}{'time':>8}")
    accepted = []
    for draft in drafts(arguments.names):
        with tempfile.TemporaryDirectory() as folder:
            found = judged(draft, Path(folder), arguments.pairs)
        accepted.append(bool(found["accepted"]))
        print(row(draft.name, found), flush=True)
    print(f"accepted: {sum(accepted)} of {len(accepted)}")
    return 0 if accepted and all(accepted) else 1


if __name__ == "__main__":
    raise SystemExit(main())
