"""Changed inputs that break one relation of the known ones each: texts by their layout, structured files by their
format."""

from __future__ import annotations

import csv
import io
import json

import pytest

from codeopt.workloads.contract.documents import find_format
from codeopt.workloads.contract.inputs import look_at
from codeopt.workloads.program.mutated_cases import mutate_cases
from codeopt.workloads.program.mutated_inputs import LARGEST_BASE, MutatedInput, broken_inputs, mutated_inputs
from codeopt_sandbox import Case
from tests.support.known_inputs import why_beyond

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
    (LISTS, "a text among the items", b"3\nnan 1 4\n"),
    (LISTS, "2**53 or more", b"3\n9007199254740993 1 4\n"),
    (LISTS, "below zero among", b"3\n-1 1 4\n"),
    (SORTED, "sorted", b"4\n3 1 7 9\n"),
    (SORTED, "comes twice", b"4\n1 1 7 9\n"),
    (WORDS, "beyond ASCII", "re\u00e9 green red\n".encode()),
]
FILES = [
    ("t.csv", TABLE, "an empty list for `rows`", lambda rows: rows[1:] == []),
    ("t.csv", TABLE, "nothing in 'id' of `rows` comes twice", lambda rows: len({row[0] for row in rows}) < len(rows)),
    ("t.csv", TABLE, "'id' of `rows` is sorted", lambda rows: rows != [rows[0], *sorted(rows[1:])]),
    ("t.csv", TABLE, "punctuation among the values of name", lambda rows: any(set(r[1]) & set("-.,;'") for r in rows)),
    ("t.csv", TABLE, "white space among the values of name", lambda rows: any(" " in row[1] for row in rows)),
    ("t.csv", TABLE, "an empty text among the values of name", lambda rows: any(row[1] == "" for row in rows)),
    ("t.csv", TABLE, "a dict without 'price'", lambda rows: len({len(row) for row in rows}) == 2),
]  # fmt: skip


def best(path: str, known: list[bytes], words: str) -> MutatedInput:
    """The first input that is made to break a relation."""
    return next(each for each in broken_inputs(path, known, seed=1) if words in each.because)


@pytest.mark.parametrize(("known", "words", "expected"), TEXTS)
def test_a_relation_of_a_text_is_broken_by_as_little_as_possible(
    known: list[bytes], words: str, expected: bytes
) -> None:
    made = best("", known, words)
    contract = look_at("", known)
    assert contract
    counts = [len({e.words for e in contract.contract.broken(contract.format.read(d))}) for d in (made.stdin, expected)]
    assert 0 < counts[0] <= counts[1]


@pytest.mark.parametrize(("path", "known", "words", "holds"), FILES)
def test_a_relation_of_a_table_is_broken_and_it_stays_a_table(path, known, words, holds) -> None:  # type: ignore[no-untyped-def]
    data = best(path, known, words).stdin
    assert holds(list(csv.reader(io.StringIO(data.decode(), newline=""))))


@pytest.mark.parametrize(
    ("known", "words", "line"),
    [
        (WEB_LOG, "zero among the values of field 6", ' "GET /a HTTP/1.1" 0 '),
        (WEB_LOG, "a dict without 'field 7'", '"GET /a HTTP/1.1" 200\n'),
        (MESSAGES, "small letters among the values of field 3", "info web: started"),
        (PAIRS, "below zero among the values of took", "took=-12"),
        (PAIRS, "an empty text among the values of level", "level= took=12"),
    ],
)
def test_a_relation_of_a_log_is_broken_in_its_field(known: list[bytes], words: str, line: str) -> None:
    made = [each.stdin.decode() for each in broken_inputs("a.log", known, seed=1) if words in each.because]
    assert any(line in text for text in made), made


@pytest.mark.parametrize(
    "text",
    ["3\n1 2 3\n4 5 6\n", "2024-01-02 red\n2024-01-03 blue\n", "a b c\nd e f\n", "2024-01-02 10:00:01 INFO a\n\n"],
)
def test_lines_without_fields_and_a_time_are_no_log(text: str) -> None:
    assert find_format("a.log", [text.encode()]) is None


@pytest.mark.parametrize(
    ("words", "broken"),
    [
        ("an empty list for `document`", "document == []"),
        ("nothing in 'id' of `document` comes twice", "len({each['id'] for each in document}) < len(document)"),
        ("'id' of `document` is sorted", "document != sorted(document, key=lambda each: each['id'])"),
        ("a dict without 'tags'", "any('tags' not in each for each in document)"),
        ("a dict with other keys", "any(set(each) - {'id', 'name', 'tags'} for each in document)"),
        ("keys in another order", "any(list(each) != ['id', 'name', 'tags'] for each in document)"),
        ("a float among the values of id", "any(isinstance(each['id'], float) for each in document)"),
        ("2**53 or more among the values of id", "any(each['id'] >= 2**53 for each in document)"),
        ("None among the values of name", "any(each['name'] is None for each in document)"),
        ("an int among the values of name", "any(not isinstance(each['name'], str) for each in document)"),
        ("beyond ASCII among the values of name", "any(not each['name'].isascii() for each in document)"),
        ("an empty list among the values of tags", "any(each['tags'] == [] for each in document)"),
    ],
)  # fmt: skip
def test_a_relation_of_json_is_broken_and_it_stays_json(words: str, broken: str) -> None:
    document = json.loads(best("r.json", RECORDS, words).stdin)
    assert eval(broken, {"document": document})  # an expression of the table above


@pytest.mark.parametrize(
    ("path", "known", "name"),
    [("t.csv", TABLE, "csv"), ("", TABLE, "csv"), ("r.json", RECORDS, "json"), ("", RECORDS, "json"),
     ("u.jsonl", JSON_LINES, "lines"), ("", JSON_LINES, "lines"), ("c.ini", INI, "ini"), ("", INI, "ini"),
     ("a.log", WEB_LOG, "log"), ("", WEB_LOG, "log"), ("m.log", MESSAGES, "log"), ("", PAIRS, "log")],
)  # fmt: skip
def test_a_structured_file_is_written_as_it_is_and_changed_files_are_like_it(
    path: str, known: list[bytes], name: str
) -> None:
    found = look_at(path, known)
    assert found
    assert getattr(find_format(path, known), "name", "") == name
    assert [found.text(found.format.read(data)) for data in known] == known
    assert not any(why_beyond(found, data) for data in known)
    made = [each.stdin for each in mutated_inputs(path, known, seed=1) if not each.because]
    assert len(made) > 8
    assert not any(why_beyond(found, data) for data in made)


@pytest.mark.parametrize("known", [LISTS, SORTED, WORDS, LINES, TABLE, RECORDS, JSON_LINES, INI])
def test_no_plain_text_is_a_document_and_one_seed_gives_the_same(known: list[bytes]) -> None:
    found = look_at("", known)
    assert found
    assert (find_format("", known) is None) == (known in (LISTS, SORTED, WORDS, LINES))
    cases = [Case(str(at), data) for at, data in enumerate(known)]
    first, again = (list(mutate_cases(cases, seed=3, breaking=True)) for _ in range(2))
    assert first == again
    assert all(each.because and each.relation for each in first)
    made = [each.case.stdin for each in first]
    assert len(set(made)) == len(made)
    assert not set(made) & set(known)


def test_stdin_that_is_a_document_is_changed_as_one() -> None:
    made = list(mutate_cases([Case("a", RECORDS[0]), Case("b", RECORDS[1])], seed=1))
    assert made
    assert all(isinstance(json.loads(each.case.stdin), list) for each in made)


def test_an_input_that_is_too_long_to_change_has_no_changes() -> None:
    long = b"10.0.0.1 GET /a 200 51\n" * (LARGEST_BASE // 20)
    assert not [*broken_inputs("a.log", [long], seed=1)]
