"""What a command prints and writes is compared, except for what is another one in each run of the original."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from codeopt.core.errors import UsageError
from codeopt.workloads.project.masks import Masks, given_masks
from codeopt_sandbox.outcome import Run, WrittenFile


def run_of(output: str, files: Mapping[str, bytes] | None = None) -> Run:
    written = tuple(WrittenFile(path, content) for path, content in (files or {}).items())
    return Run(0, None, 1.0, 1.0, 0, output.encode(), b"", written=written)


def learned(*outputs: str) -> Masks:
    return given_masks(()).learned([run_of(output) for output in outputs])


@pytest.mark.parametrize(
    ("runs", "same", "other"),
    [
        (("a 1\ntook 0.123 s\n", "a 1\ntook 0.2 s\n", "a 1\ntook 12.5 s\n"), ["a 1\ntook 7 s\n"],
         ["a 2\ntook 7 s\n", "a 1\ntook long s\n", "a 1\ntook 7 ms\n"]),
        (("3 passed in 1.12s\n", "3 passed in 1.09s\n"), ["3 passed in 0.93s\n", "3 passed in 20.5s\n"],
         ["2 passed in 1.12s\n", "3 failed in 1.12s\n", "3 passed in a1\n"]),
        (('{"made": 17.25, "rows": [[1, 2]]}', '{"made": 18.5, "rows": [[1, 2]]}'), ['{"made": 9, "rows": [[1, 2]]}'],
         ['{"made": 9, "rows": [[1, 3]]}', '{"made": "x", "rows": [[1, 2]]}', '{"made": 9}']),
        (("at 2024-01-02T10:20:30 in /tmp/a1\n7", "at 2025-11-12T01:02:03 in /tmp/b2/c\n7"),
         ["at 2026-05-06T01:02:03 in /tmp/x\n7"], ["at noon in /tmp/x\n7", "at 2026-05-06T01:02:03 in /tmp/x\n8"]),
        (("<Row at 0x7f01>\nend", "<Row at 0x8e02>\nend"), ["<Row at 0x1>\nend"], ["<Col at 0x1>\nend"]),
        (("head\nb\na\nc\nend\n", "head\na\nc\nb\nend\n", "head\nc\nb\na\nend\n"), ["head\na\nb\nc\nend\n"],
         ["head\na\nb\nd\nend\n", "head\na\na\nb\nend\n", "head\na\nb\nc\nstop\n", "head\na\nb\nend\n"]),
        (("{'b', 'a', 'c'}\n", "{'a', 'c', 'b'}\n"), ["{'c', 'b', 'a'}\n"], ["{'c', 'b', 'd'}\n", "{'a', 'b'}\n"]),
        (("n=2 b=1 a=2", "n=2 a=2 b=1"), ["b=1 n=2 a=2"], ["n=2 b=2 a=1"]),
        (("b x\na y\nc z\ntook 1.5", "a y\nc z\nb x\ntook 2.25"), ["c z\nb x\na y\ntook 9"], ["c y\nb x\na z\ntook 9"]),
        (("busy 1%\nsum 5\n", "busy 1%\nbusy 40%\nsum 5\n", "sum 5\n"), ["busy 7%\nbusy 8%\nbusy 9%\nsum 5\n"],
         ["busy 1%\nsum 6\n", "idle 1%\nsum 5\n"]),
    ],
)  # fmt: skip
def test_what_changes_is_masked_and_all_else_is_compared(
    runs: tuple[str, ...], same: list[str], other: list[str]
) -> None:
    masks = learned(*runs)
    expected = masks.seen(run_of(runs[0]))
    assert all(masks.seen(run_of(text)).stdout == expected.stdout for text in (*runs, *same))
    assert all(masks.seen(run_of(text)).stdout != expected.stdout for text in other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("== start ==\n== 3 passed in 0.51s ==\n", "== start ==\n== 3 passed in 0.52s ==\n", True),
        ("== start ==\n== 3 passed in 0.51s ==\n", "== start ==\n== 2 passed in 0.51s ==\n", False),
        ("== start ==\n3 found at 5\n", "== start ==\n3 found at 6\n", False),
    ],
)
def test_a_masked_value_is_masked_by_its_name_in_what_another_command_prints(one: str, other: str, same: bool) -> None:
    masks = learned("3 passed in 1.12s\n", "3 passed in 1.09s\n")
    assert (masks.seen(run_of(one)).stdout == masks.seen(run_of(other)).stdout) is same


def test_what_is_the_same_in_each_run_is_compared_as_it_stands() -> None:
    masks = learned("a\nb 0.5\n", "a\nb 0.5\n")
    assert masks.seen(run_of("b 0.5\na\n")).stdout == b"b 0.5\na\n"
    assert (masks.gaps, masks.caveats, masks.words) == ((), (), "")


def test_what_cannot_be_compared_is_named() -> None:
    named = learned('{"made": 17.25, "n": 1, "by": 2}\nid ab1', '{"made": 18.5, "n": 1, "by": 2}\nid c3')
    (gap,) = named.gaps
    assert gap.message == "the output is compared by its form alone in line 1 (made), line 2 (id)"
    assert named.words == "2 lines of the output change from run to run"
    assert named.caveats == ()
    nothing = learned("a\n", "b\nc\n")
    assert nothing.output.nothing
    assert [row.message for row in nothing.gaps] == ["the output is not compared"]
    assert len(learned("a b c 1", "d e f 1").caveats) == 1


def test_a_written_file_is_masked_or_named() -> None:
    stamped = [{"a.json": b'{"at": %d, "n": 5}' % k, "b.bin": b"\xff\0" + bytes([k]), "c.txt": b"x"} for k in range(3)]
    stamped[1]["once.log"] = b""
    masks = given_masks(("re:x",)).learned([run_of("", files) for files in stamped])
    seen = [masks.seen(run_of("", {"a.json": text})).written for text in (b'{"at": 9, "n": 5}', b'{"at": 9, "n": 6}')]
    assert seen[0] == masks.seen(run_of("", {"a.json": stamped[0]["a.json"]})).written != seen[1]
    assert [row.message for row in masks.gaps] == [
        "the file a.json is compared by its form alone in line 1 (at)",
        "the file b.bin is not compared", "the file once.log is not compared",
    ]  # fmt: skip
    assert {"b.bin", "once.log"} <= set(masks.ignored)
    assert not {"a.json", "c.txt"} & set(masks.ignored)


def test_what_the_user_ignores_is_no_gap() -> None:
    masks = given_masks(("re:n [0-9]+", "*.log")).learned([run_of(f"n {k}", {"a.log": bytes([k])}) for k in range(2)])
    assert masks.gaps == ()
    assert masks.seen(run_of("n 12")).stdout == masks.seen(run_of("n 7")).stdout
    with pytest.raises(UsageError, match="ignore-output"):
        given_masks(("re:(",))
