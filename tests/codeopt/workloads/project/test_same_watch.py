"""The same is read of what watchers of a command wrote: whose a sample, a wait or a query is, and where the clock went.
`python -m tests.codeopt.workloads.project.test_same_watch` writes the table."""
# looks at codeopt/workloads/project/watch, codeopt/workloads/project/profile

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from codeopt.workloads.project.profile import make_profile
from codeopt.workloads.project.watch import Names, query_lines, samples_of, wait_lines, worth_counting
from tests.codeopt.workloads.project.test_same_drafts import SAMPLES
from tests.codeopt.workloads.test_same_texts import REPORT
from tests.support.candidates import run
from tests.support.recorded import Row, compared_with, write_down

TABLE = Path(__file__).with_name("same_watch.txt")
WATCHED = {
    "m.py": b"""import json

class Row:
    @property
    def first(self):
        return [x for x in self.cells]

    def __contains__(self, item):
        return item == 1

def outer(rows):
    for row in rows:
        if row.first:
            inner(row)
        else:
            print(Row(), 1 in row)
    while rows:
        rows.pop()
    return sorted(rows, key=inner)

def inner(row):
    return row

outer([Row()])
""",
    "n.py": b"def (",
}
PLACES = [f"/m.py:{line}" for line in (0, 4, 6, 8, 11, 14, 21, 24)] + ["m.py:3", "/gone.py:1", "/n.py:1"]


ASKED = (
    ("/m.py:11", 13, 5, 3, 2, "/m.py:24", 4), ("/m.py:11", 13, 2, 9, 1, "/m.py:0", 5),
    ("/m.py:21", 22, 50, 1, 1, "", 1), ("/lib.py:1", 1, 9, 9, 9, "", 9),
)  # fmt: skip


def watched() -> Iterator[object]:
    """Which function a sample, a wait or a query is of, and which functions are worth counting."""
    names = Names(WATCHED)
    spots = [names.spot(place) for place in PLACES]
    yield spots, [names.spot_in(place, ["m.py"]) for place in PLACES], sorted(map(str, names.functions()))
    for spot in filter(None, spots):
        yield list(names.called_in(spot)), [names.is_call("m.py", line, spot) for line in range(1, 25) if spot.line]
    yield [names.loop_lines("m.py", line) for line in range(1, 25)], names.loop_lines("n.py", 1)
    for stack in (
        PLACES[:1],
        ["/m.py:0", "/m.py:11"],
        ["/m.py:11", "/m.py:11", "/m.py:21"],
        ["/m.py:0", "/lib.py:3"],
        [],
    ):
        for line, calling in ((14, 0), (-16, 0), (21, 14), (21, 19), (0, 1)):
            yield samples_of((stack, line, calling, "json", 0, 1.5), names, 2)
    rows = [
        ("/m.py:11", 13, 5, 3, 2, "/m.py:24", 4),
        ("/m.py:11", 13, 2, 9, 1, "/m.py:0", 5),
        ("/m.py:21", 22, 50, 1, 1, "", 1),
    ]
    yield query_lines([*rows, ("/lib.py:1", 1, 9, 9, 9, "", 9)], names.spot)
    for shares in ((0.1, 0.5, 0.0), (0.3, 0.2, 0.9), (0.0, 0.0, 0.0)):
        times = [
            SimpleNamespace(frame=spot, own_share=share, total_share=1 - share)
            for spot, share in zip(dict.fromkeys(filter(None, spots)), shares * 3, strict=False)
        ]
        yield worth_counting(times, names)  # type: ignore[arg-type]


def clock() -> Iterator[object]:
    """Each second of a run has one part of the clock."""
    for queued_s in (0.0, 1.0, 3.0):
        for cpu_s, wall_s, begun_s in ((5.5, 8.0, 0.5), (9.0, 8.0, 0.0), (1.0, 8.0, 2.0)):
            plain = run(cpu_s=cpu_s, wall_s=wall_s, runqueue_wait_s=queued_s)
            found = make_profile(plain, SAMPLES, [], begun_s, {}, {})
            yield found.clock, found.seconds, found.waiting_share, found.to_json()
            rows = [
                (["report"], 2, 0, "", False, 3.0),
                ([], 0, 0, "", True, 1.0),
                (["report"], 3, 1, "json", False, 0.01),
            ]
            yield wait_lines(rows, lambda _: REPORT, plain)


ROWS: dict[str, Row] = {"watched": watched, "clock": clock}
test_the_same_is_read, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
