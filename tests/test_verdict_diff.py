"""`benchmarks.verdict_diff` on the outputs of the benchmarks that it reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.verdict_diff import main, verdicts

ROWS = {
    '{"name": "rank_of", "verdict": "faster", "caveats": []}': ("rank_of", "faster"),
    '{"task": "svd", "draft": "o4", "kind": "right", "verdict": "faster", "caveats": [1]}': (
        "svd / o4",
        "faster with caveats",
    ),
    '{"task": "svd", "draft": "o3", "kind": "unknown", "why": ""}': ("svd / o3", "unknown"),
    "BAD  003_local_timezone 9 s faster 4.2 caveats 0 None": ("003_local_timezone", "BAD faster"),
    "ok   211_list 31 s not accepted None caveats 0": ("211_list", "ok not accepted"),
    "MISS pool_script        wrong  same        4 CPU s": ("pool_script wrong", "MISS same"),
    "ok  svd / GPT-5.2        wrong    wrong      0.00x  3 s": ("svd / GPT-5.2", "ok wrong"),
    "BAD svd / GPT-5.3        wrong    faster     2.00x  3 s": ("svd / GPT-5.3", "BAD faster"),
    "p02276        36     16   ALIKE with a longer row: expected 1": ("p02276", "differs on an alike input"),
    "p02537        36     16   on 3: prints 4": ("p02537", "a caveat"),
    "p02680        36     16   ": ("p02680", ""),
}


@pytest.mark.parametrize("line", ROWS)
def test_a_row_gives_its_name_and_verdict(line: str) -> None:
    name, verdict = ROWS[line]
    assert verdicts([line]) == {name: verdict}


def test_headings_tables_and_reasons_give_none() -> None:
    assert verdicts(["| drafts | number |", "      caveat: f(1): faster", "seed 1", ""]) == {}


def test_it_prints_the_rows_whose_verdict_is_another_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    rows = [{"name": name, "verdict": "faster", "ratio": 2.0, "caveats": []} for name in ("kept", "worse", "gone")]
    before.write_text("\n".join(map(json.dumps, rows)))
    rows[0]["ratio"], rows[1]["verdict"], rows[2]["name"] = 3.0, "wrong", "new"
    after.write_text("\n".join(map(json.dumps, rows)))
    assert main([str(before), str(after)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "worse: faster -> wrong", "gone: faster -> no such row", "new: no such row -> faster", "3 of 4 rows differ",
    ]  # fmt: skip
    assert main([str(before), str(before)]) == 0
