"""Changed inputs that break one relation of the known ones each: texts by their layout, structured files by their
format."""

from __future__ import annotations

import csv
import io
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeopt.workloads.contract.program.known_inputs import look_at
from codeopt.workloads.program.fuzzing import break_relations, mutate_cases
from codeopt.workloads.program.fuzzing._changed import broken_inputs
from codeopt.workloads.program.fuzzing._documents import look_at_documents
from codeopt.workloads.program.fuzzing._files import broken_file, mutate_file
from codeopt_sandbox import Case

LISTS = [b"3\n5 1 4\n", b"6\n10 20 30 20 10 7\n", b"4\n9 2 2 8\n"]
SORTED = [b"4\n1 3 7 9\n", b"5\n2 3 5 8 9\n", b"6\n1 2 4 6 8 9\n"]
WORDS = [b"red green red\n", b"blue red blue green\n", b"one two three two\n"]
LINES = [b"oak\nelm\nash\nfir\nyew\nbox\nbay\n", b"pine\nlarch\nbeech\nbirch\nalder\nlime\n"]
TABLE = [b"id,name,price\n1,apple,1.25\n2,pear,0.50\n5,plum,2.00\n9,fig,3.75\n"]
RECORDS = [
    json.dumps([{"id": n, "name": name, "tags": ["a", "b"]} for n, name in rows]).encode() + b"\n"
    for rows in ([(1, "ann"), (4, "bob"), (6, "cid"), (9, "dan")], [(2, "eve"), (3, "fay"), (8, "gus")])
]
JSON_LINES = [b'{"user": "ann", "n": 3}\n{"user": "bob", "n": 8}\n{"user": "cid", "n": 5}\n']
INI = [
    b"[main]\nhost = alpha\nport = 80\n\n[log]\nlevel = debug\n",
    b"[main]\nhost = beta\nport = 8080\n\n[log]\nlevel = info\n",
]
WEB_LOG = [
    b"""\
10.0.0.1 - ann [10/Oct/2023:13:55:36 +0000] "GET /a HTTP/1.1" 200 512
10.0.0.2 - bob [10/Oct/2023:13:55:37 +0000] "GET /b HTTP/1.1" 404 12
10.0.0.1 - ann [10/Oct/2023:13:56:01 +0000] "POST /c HTTP/1.1" 200 77
10.0.0.3 - cid [10/Oct/2023:13:57:36 +0000] "GET /a HTTP/1.1" 500 9
"""
]
MESSAGES = [
    b"""\
2024-01-02 10:00:01,120 INFO web: started
2024-01-02 10:00:05,004 WARN db: slow query of 5 s
2024-01-02 10:00:09,331 ERROR web: cannot reach db, gives up
""",
    b"""\
2024-01-07 07:00:01,000 INFO web: started
2024-01-07 07:15:50,999 ERROR mail: no answer from the server
2024-01-07 07:15:51,400 WARN db: closed
2024-01-07 07:15:59,000 INFO web: stopped after some time
""",
]
PAIRS = [b"time=2024-01-02T10:00:01Z level=info took=12\ntime=2024-01-02T10:00:03Z level=warn took=15\n"]

TEXTS = [
    (LISTS, "an empty list", b"0\n\n"),
    (LISTS, "a fraction", b"3\n5.5 1 4\n"),
    (LISTS, "2**53 or more", b"3\n9007199254740993 1 4\n"),
    (LISTS, "so small a number", b"3\n-1 1 4\n"),
    (SORTED, "sorted", b"4\n1 7 3 9\n"),
    (SORTED, "a number there twice", b"4\n1 1 7 9\n"),
    (WORDS, "ASCII", "re\u00e9 green red\n".encode()),
    (LINES, "twice", b"oak\noak\nash\nfir\nyew\nbox\nbay\n"),
]
FILES = [
    ("t.csv", TABLE, "no known list of rows is empty", lambda rows: rows[1:] == []),
    ("t.csv", TABLE, "no known 'id' comes twice", lambda rows: [row[0] for row in rows[1:3]] == ["1", "1"]),
    ("t.csv", TABLE, "the known 'id' is sorted", lambda rows: rows[1][0] == "2"),
    (
        "t.csv",
        TABLE,
        "no known 'name' has signs that are quoted",
        lambda rows: any(set(r[1]) & set(",;'\"") for r in rows),
    ),
    ("t.csv", TABLE, "every known 'name' is one word", lambda rows: any(" " in row[1].strip() for row in rows)),
    ("t.csv", TABLE, "no known 'name' is empty", lambda rows: any(row[1] == "" for row in rows)),
    ("t.csv", TABLE, "every known row is as long as the others", lambda rows: len({len(row) for row in rows}) == 2),
    ("t.csv", TABLE, "no known file has other columns", lambda rows: rows[0] != ["id", "name", "price"]),
]


def best(path: str, known: list[bytes], words: str) -> bytes:
    """The first input that is made to break a relation."""
    return next(each.stdin for each in broken_file(path, known, (), 1) if words in each.because)


@pytest.mark.parametrize(("known", "words", "expected"), TEXTS)
def test_a_relation_of_a_text_is_broken_alone(known: list[bytes], words: str, expected: bytes) -> None:
    contract = look_at(known)
    found = [each for each in broken_inputs(known, seed=1) if words in each.because]
    assert found
    assert all(int(each.relation) in contract.broken(each.stdin) for each in found)
    numbers = {each.relation for each in found if each.stdin == expected} or {found[0].relation}
    assert numbers
    least = min(len(contract.broken(each.stdin)) for each in found)
    assert least <= max(1, len(contract.broken(expected)))


@pytest.mark.parametrize(("path", "known", "words", "holds"), FILES)
def test_a_relation_of_a_table_is_broken_and_it_stays_a_table(path, known, words, holds) -> None:  # type: ignore[no-untyped-def]
    data = best(path, known, words)
    assert holds(list(csv.reader(io.StringIO(data.decode(), newline=""))))


@pytest.mark.parametrize(
    ("known", "words", "line"),
    [
        (WEB_LOG, "'time' comes twice", '10.0.0.2 - bob [10/Oct/2023:13:55:36 +0000] "GET /b HTTP/1.1" 404 12'),
        (WEB_LOG, "'field 6' is zero", '10.0.0.1 - ann [10/Oct/2023:13:55:36 +0000] "GET /a HTTP/1.1" 0 512'),
        (WEB_LOG, "row is as long", '10.0.0.1 - ann [10/Oct/2023:13:55:36 +0000] "GET /a HTTP/1.1" 200'),
        (MESSAGES, "'field 3' is in capitals", "2024-01-02 10:00:01,120 info web: started"),
        (PAIRS, "'took' is below zero", "time=2024-01-02T10:00:01Z level=info took=-12"),
        (PAIRS, "'level' is empty", "time=2024-01-02T10:00:01Z level= took=12"),
    ],
)
def test_a_relation_of_a_log_is_broken_in_its_field_alone(known: list[bytes], words: str, line: str) -> None:
    assert line in [
        text
        for each in broken_file("a.log", known, (), 1)
        if words in each.because
        for text in each.stdin.decode().splitlines()
    ]


@pytest.mark.parametrize(
    "text",
    ["3\n1 2 3\n4 5 6\n", "2024-01-02 red\n2024-01-03 blue\n", "a b c\nd e f\n", "2024-01-02 10:00:01 INFO a\n\n"],
)
def test_lines_without_fields_and_a_time_are_no_log(text: str) -> None:
    assert look_at_documents("a.log", [text.encode()]) is None


@pytest.mark.parametrize(
    ("words", "broken"),
    [
        ("no known document is empty", "document == []"),
        ("no known 'id' comes twice", "len({each['id'] for each in document}) < len(document)"),
        ("the known 'id' is sorted", "document != sorted(document, key=lambda each: each['id'])"),
        ("has the key 'tags'", "any('tags' not in each for each in document)"),
        ("has other keys", "any(set(each) - {'id', 'name', 'tags'} for each in document)"),
        ("'id' is a fraction", "any(isinstance(each['id'], float) for each in document)"),
        ("'id' is 2**53 or more", "any(each['id'] >= 2**53 for each in document)"),
        ("'name' is null", "any(each['name'] is None for each in document)"),
        ("'name' is of one kind", "any(not isinstance(each['name'], str) for each in document)"),
        ("'name' is ASCII", "any(not each['name'].isascii() for each in document)"),
        ("no known 'tags' is empty", "any(each['tags'] == [] for each in document)"),
    ],
)  # fmt: skip
def test_a_relation_of_json_is_broken_and_it_stays_json(words: str, broken: str) -> None:
    document = json.loads(best("r.json", RECORDS, words))
    assert eval(broken, {"document": document})  # an expression of the table above


UNSAID = {"log": ("is empty", "one word", "several blanks", "line end")}
"""Fields of a log stand between blanks, and a message ends with its line."""


@pytest.mark.parametrize(
    ("path", "known", "name"),
    [("t.csv", TABLE, "csv"), ("", TABLE, "csv"), ("r.json", RECORDS, "json"), ("", RECORDS, "json"),
     ("u.jsonl", JSON_LINES, "lines"), ("", JSON_LINES, "lines"), ("c.ini", INI, "ini"), ("", INI, "ini"),
     ("a.log", WEB_LOG, "log"), ("", WEB_LOG, "log"), ("m.log", MESSAGES, "log"), ("", PAIRS, "log")],
)  # fmt: skip
def test_each_relation_of_a_structured_file_is_broken_by_its_own_writer(
    path: str, known: list[bytes], name: str
) -> None:
    documents = look_at_documents(path, known)
    assert documents
    assert documents.format.name == name
    assert all(documents.format.write(documents.format.read(data)) == data for data in known)
    assert not any(map(documents.broken, known))
    found = list(broken_file(path, known, (), 1))
    assert all(int(each.relation) in documents.broken(each.stdin) for each in found)
    broken = set().union(*(documents.broken(each.stdin) for each in found))
    left = [each for number, each in enumerate(documents.relations) if number not in broken]
    unsaid = ("null", "one kind", "blanks at its ends", *UNSAID.get(name, ()))  # what the format cannot say
    assert not [each.words for each in left if not any(word in each.kind for word in unsaid)]
    alone = {int(each.relation) for each in found if len(documents.broken(each.stdin)) == 1}
    assert len(alone) > len(documents.relations) / (4 if name == "log" else 2)  # a time keeps many at once


@pytest.mark.parametrize("known", [LISTS, SORTED, WORDS, LINES, TABLE, RECORDS, JSON_LINES, INI])
def test_no_plain_text_is_a_document_and_one_seed_gives_the_same(known: list[bytes]) -> None:
    assert (look_at_documents("", known) is None) == (known in (LISTS, SORTED, WORDS, LINES))
    cases = [Case(str(at), data) for at, data in enumerate(known)]
    first, again = (list(break_relations(cases, seed=3)) for _ in range(2))
    assert first == again
    assert all(each.beyond and each.relation for each in first)
    made = [each.case.stdin for each in first]
    assert len(set(made)) == len(made)
    assert not set(made) & set(known)


def test_other_changes_of_a_file_are_told_by_what_they_break() -> None:
    """Rows that come twice are no reason to refuse a draft where no known file has any."""
    reasons = {each.name: each.because for each in mutate_file("t.csv", TABLE, (), 1)}
    assert reasons["more"]
    assert not all(reasons.values())
    changed = {each.name: each.because for each in mutate_file("r.json", RECORDS, (), 1)}
    assert changed["more.0"]
    assert any(not because for because in changed.values())


def test_lines_of_a_log_that_are_sorted_may_be_so_by_contract() -> None:
    log = b"".join(b"09:%02d:00 INFO step %d\n" % (minute, 7 * minute % 5) for minute in range(12))
    reasons = {each.name: each.because for each in mutate_file("run.log", [log], (), 1)}
    assert "sorted" in reasons["order.0"]
    assert not reasons["fewer.0"]


def test_stdin_that_is_a_document_is_changed_as_one() -> None:
    made = list(mutate_cases([Case("a", RECORDS[0]), Case("b", RECORDS[1])], seed=1))
    assert made
    assert all(isinstance(json.loads(each.case.stdin), list) for each in made)


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=60), st.sampled_from([*LISTS, *TABLE, *RECORDS, *INI])), max_size=3))
def test_any_bytes_will_do(known: list[bytes]) -> None:
    for path in ("", "a.csv", "a.json", "a.ini"):
        for each in broken_file(path, known, (), 2):
            assert each.because
            assert each.stdin not in known


@pytest.mark.parametrize(("path", "known"), [("t.csv", TABLE), ("r.json", RECORDS), ("", JSON_LINES), ("c.ini", INI)])
def test_files_like_the_known_ones_keep_all_relations(path: str, known: list[bytes]) -> None:
    documents = look_at_documents(path, known)
    assert documents
    made = list(documents.alike(known, random.Random(1)))
    assert made
    assert not any(map(documents.broken, made))
