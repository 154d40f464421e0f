"""The same is read from the same foreign data sets, and the same is written of it.
`python -m tests.codeopt.batch.datasets.test_same_sets` rewrites the table."""
# looks at codeopt/batch/datasets

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from codeopt.batch.datasets import SetRequest
from codeopt.batch.datasets._importers import PROGRAMS
from codeopt.core.errors import UsageError
from tests.support.files import write_files
from tests.support.recorded import Row, compared_with, write_down

TABLE = Path(__file__).with_name("same_sets.txt")
TIMES = (
    ("u", "Python", "Accepted", 900), ("u", "Python", "Accepted", 90), ("v", "Python", "Accepted", 500),
    ("u", "Python", "Wrong Answer", 1), ("u", "C++", "Accepted", 1), ("w", "Python", "Accepted", ""),
)  # fmt: skip
COLUMNS = "submission_id,user_id,language,status,cpu_time\n"
SETS = {
    "codenet/metadata/p2.csv": COLUMNS + "".join(f"s{n},{','.join(map(str, row))}\n" for n, row in enumerate(TIMES)),
    "codenet/metadata/p3.csv": f"{COLUMNS}a,u,Python,Accepted,110\nb,u,Python,Accepted,100\n",
    "codenet/metadata/p4.csv": f"{COLUMNS}a,u,Python,Accepted,109\nb,u,Python,Accepted,100\n",
    **{f"codenet/data/{name}.py": f"# {name}\n" for name in ("p2/Python/s0", "p2/Python/s1", "p3/Python/a")},
    **{f"codenet/derived/input_output/data/{name}put.txt": f"{name}\n" for name in ("p2/in", "p2/out", "p3/in")},
    "pie/b.jsonl": '{"problem_id": "p1", "input": "a", "target": "b", "language": "C++"}\n\n[1]\nno json\n',
    "pie/a.jsonl": '{"slow_code": "x"}\n', "pie/merged_test_cases/p1/input.0.txt": "1",
    "pie/cases/p1/input.1.txt": "2", "pie/cases/p1/output.1.txt": "3",
    "ecco/test.jsonl": '{"problem_id": "p1", "input": "a", "target": "b"}\n{"problem_id": "p5", "input": "c"}\n',
    **{f"ecco/test_cases/{kind}_test_cases/p1/input.0.txt": kind for kind in ("public", "private", "generated")},
    "ecco/cases/p5/input.0.txt": "7", "other/p1/input.0.txt": "8", "nothing/a.txt": "",
}  # fmt: skip
"""A small set of each layout that `codeopt import` reads, with what it leaves out."""


def imported() -> Iterator[object]:
    with TemporaryDirectory() as folder:
        home = write_files(Path(folder), SETS)
        (home / "out").mkdir()
        for name, read in PROGRAMS.items():
            for place, cases in ((name, None), (name, home / "other"), ("nothing", None), ("gone", None)):
                try:
                    found = list(read(SetRequest(home / place, cases)))
                except UsageError:
                    found = []
                yield name, place, found
                for each in found:
                    each.write(home / "out")
        yield from ((path.relative_to(home), path.read_text()) for path in sorted((home / "out").rglob("*.*")))


ROWS: dict[str, Row] = {"imported": imported}


test_the_same_is_read, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
