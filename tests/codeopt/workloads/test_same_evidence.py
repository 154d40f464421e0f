"""The same calls and inputs are made of the same known ones: a run can be repeated by its seed, and no change of the
generators, of their limits or of their order goes unseen. `python -m tests.codeopt.workloads.test_same_evidence` writes
the table."""
# looks at codeopt/workloads/generated, codeopt/workloads/contract, codeopt/workloads/program/mutated

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from itertools import islice
from pathlib import Path

from codeopt.core.call import Call, with_recipes_in_words
from codeopt.workloads._sizes import smaller_ones
from codeopt.workloads.contract.function import contract_of
from codeopt.workloads.contract.inputs import look_at
from codeopt.workloads.function.counterexample import CallNames, Importable, find_names, paste
from codeopt.workloads.function.resized import can_become_larger, growths, items_of, other_seeds
from codeopt.workloads.function.shrink import smaller_calls
from codeopt.workloads.function.unusual import (
    as_iterators,
    long_calls,
    other_exact_types,
    refusals,
    tenfold,
    with_optional_parameters,
    wrong_types,
)
from codeopt.workloads.generated.derive import can_be_varied, derive
from codeopt.workloads.generated.larger import can_grow, deep_calls, grow, size_by, size_of, unit_of
from codeopt.workloads.generated.vocabulary import Vocabulary, samples, vocabulary
from codeopt.workloads.program.mutated_cases import (
    boundary_cases,
    largest_text,
    mutate_cases,
    mutated_inputs,
    other_usage,
    shorter_cases,
    shrunk,
)
from codeopt.workloads.program.mutated_inputs import boundaries, broken_inputs, inputs_at_boundaries, numbers_like
from codeopt.workloads.source.functions import Function, ModuleFunctions
from codeopt.workloads.source.literals import read
from codeopt_sandbox.outcome import Case, WrittenFile
from tests.support.known_inputs import why_beyond
from tests.support.recorded import Row, compared_with, write_down

TABLE = Path(__file__).with_name("same_evidence.txt")
ARRAY = "load('numpy', 'array')"
FRAME = "load('pandas', 'DataFrame')"
BOX = "load('m', 'Box')"
CALLS: dict[str, list[str]] = {
    "whole numbers": [f"f({n}, {n * n})" for n in (0, 1, 2, 7, 30, 1000)],
    "floats": [f"f({n / 8}, [{n / 4}, -{n}.5])" for n in range(1, 7)],
    "texts": ["f('red, green', ',')", "f('a-1 b-22 c-333', '-')", "f('', ' ')", f"f({'word ' * 30!r}, 'w')"],
    "bytes": ["f(b'key=1;b=2')", "f(bytearray(b'abc'))", "f(b'')"],
    "switches": ["f(True, None, 1j)", "f(False, None, 2.5j)"],
    "lists": [f"f({[at * 7 % 11 for at in range(n)]}, {n // 2})" for n in (0, 1, 2, 3, 5, 8, 13, 40)],
    "sorted lists": [f"f({[at * at for at in range(n)]})" for n in (1, 2, 3, 5, 9, 12)],
    "two lists": [f"f({[*range(n)]}, {[n - at for at in range(n)]})" for n in (1, 2, 4, 7, 20)],
    "lists of several types": ["f([1, 2.0, True, 'a'])", "f(['b', 2, 2.0, None])", "f([])"],
    "rows": [f"f({[{'id': at, 'name': f'n{at}', 'sizes': [at, at + 1]} for at in range(n)]})" for n in (1, 2, 3, 6)],
    "records": ["f((1, 'a', 2.5))", "f((2, 'b', 0.0))", "f((3, 4, 5, 6))", "f((1, 2, 3, 4, 5))"],
    "mappings": ["f({'a': [1, 2], 'b': []}, 'a')", "f({'c': [3]}, 'b')", f"f({dict.fromkeys(range(20), 'x')}, 'c')"],
    "sets": ["f({1, 2, 3}, frozenset({'a'}))", f"f({set(range(30))}, frozenset())"],
    "tables": [f"f({[[a * b % 7 for a in range(n)] for b in range(n)]})" for n in (1, 2, 3, 5, 8)],
    "parents": [f"f({[-1, *(at // 2 for at in range(n - 1))]})" for n in (2, 3, 5, 9)],
    "edges": [f"f({n}, {[(at // 2, at + 1) for at in range(n - 1)]})" for n in (2, 3, 5, 9)],
    "graphs": ["f({0: [1, 2], 1: [2], 2: []}, 0)", "f({0: [1], 1: [0]}, 1)", "f({0: []}, 0)"],
    "nested": ["f({'v': 1, 'left': {'v': 2, 'left': None}})", "f([1, [2, [3]]])", "f((1, (2, ())))"],
    "objects": [f"f({BOX}([{n}, {n + 1}, 4], name='b{n}'), used({BOX}([1]), do.add({n})))" for n in (1, 2, 3)],
    "arrays": [f"f({ARRAY}({[[0.5 * at, 1.5] for at in range(n)]}, 'float64'), {n})" for n in (1, 3, 6)],
    "whole arrays": [f"f({ARRAY}({[at * 3 % 7 for at in range(n)]}, 'int64'))" for n in (1, 3, 30)],
    "frames": [f"f({FRAME}({ {'a': [*range(n)], 'b': ['x'] * n} }, ['int64', 'object']))" for n in (1, 3, 6)],
    "what cannot be read": ["f(load('m', 'g'))", "CALLS[0]", "f(*x)"],
    "dates": ["f('2024-01-02', '09:30')", "f('2023-12-31', '23:59')", "f('2024-02-29', '00:00')"],
    "versions": ["f('1.2.10')", "f('v2.0')", "f('10.0.0-rc1')"],
    "lines": ["f('a=1\\nb=2\\n\\nc')", "f('x: 1\\n  y: 2\\n')"],
    "long lists": [f"f({[at % 17 for at in range(n)]}, 'k')" for n in (30, 90, 200)],
}
SOURCE = """\
import re

LIMIT, WORDS = 15, ("alpha", "beta")
NAME = re.compile(r"[a-z]+(-[^x]\\\\d{2,3})?|(?:ab|cd)*z$")


def helper(row):
    return row.get("price", 0) * LIMIT


def f(items, key=None, sep: str = ",", *, most: int = 3, mode: "Literal['a', 'b']" = "a", rest=0.5, _own=1):
    '''Join. `items` is sorted, 1 <= most <= 100.'''
    if not isinstance(items, list):
        raise TypeError(items)
    assert len(items) <= 255, "many"
    if key is None:
        return [helper(each) for each in items if each["size"] > 64 and NAME.match(each["name"])]
    return sep.join(WORDS)[:most] + "\\\\n" + "--"
"""
WORDS = vocabulary(SOURCE, SOURCE[SOURCE.index("def f") :])


def function(source: str = SOURCE, name: str = "f") -> Function:
    return ModuleFunctions(Path("m.py"), source, ast.parse(source)).find(name)


def read_ones(texts: list[str]) -> list[Call]:
    return [call for call in map(read, texts) if call.is_read]


def learnt(calls: list[str]) -> Iterator[object]:
    """What is found of known calls, and what each call of all kinds breaks of that."""
    known = [*map(read, calls)]
    count = max((len(call.values) for call in known if call.is_read), default=1)
    names = ", ".join("abcd"[:count])
    contract = contract_of(function(f"def f({names}):\n    return 0\n"), known)
    yield contract.words
    made = derive(read_ones(calls), 60, 2)
    yield from (f"{call} {contract.beyond(call)} {contract.reasons(call)}" for call in made)
    yield from contract.shaped(made)
    yield from ((str(call), str(kept)) for call, kept in contract.within(made).items())
    yield from contract.inside(made)


def grown(calls: list[str]) -> Iterator[object]:
    known = read_ones(calls)
    for call in known[-2:]:
        for way in growths(call, known):
            for factor in (2, 50):
                larger = way.call(factor, 1)
                text = larger.text if larger else ""
                yield text, items_of(larger) if larger else 0, str(with_recipes_in_words(larger or ""))
                yield from other_seeds(read_ones([text]), 2)
        yield can_become_larger(call)
    for call in map(read, calls):
        yield size_of(call), (larger := grow(call, 3, 1)) and larger.text, can_be_varied(call)
    for call in known:
        yield can_grow(call), unit_of(call), size_by("items", call), size_by("n", call)


def simpler(calls: list[str]) -> Iterator[object]:
    for call in calls[-2:]:
        yield from smaller_calls(read(call))
    known = read_ones(calls)
    yield from (*other_exact_types(known), *wrong_types(known), *deep_calls(known))
    names = find_names(calls, lambda several: (), "m")
    yield from map(names.readable, calls)
    yield from map(CallNames().shown, calls)


def longer(calls: list[str]) -> Iterator[object]:
    known = read_ones(calls)
    yield from (*long_calls(known, 12, 1, WORDS), *tenfold(known, 1))
    yield from (as_iterators(call, (0, 1), 30) for call in map(read, calls))


INPUTS: dict[str, list[bytes]] = {
    "a count and numbers": [b"3\n5 1 4\n", b"6\n10 20 30 20 10 7\n", b"4\n9 2 2 8\n"],
    "lines": [b"3\n5\n1\n4\n", b"5\n10\n20\n30\n20\n11\n"],
    "edges": [b"4 3\n1 2\n2 3\n3 4\n", b"5 4\n1 2\n2 3\n3 4\n4 5\n", b"3 2\n3 1\n1 2\n"],
    "words": [b"red green red\n", b"blue red blue green\n"],
    "a word": [b"abcab\n", b"aab\n"],
    "a number": [b"12\n", b"100\n"],
    "a grid": [b"2 3\n.#.\n##.\n", b"3 4\n.#..\n##..\n....\n"],
    "several grids": [b"2\n4 3\n.*.\n*.*\n...\n***\n3 4\n.**.\n....\n*..*\n", b"1\n5 2\n.*\n*.\n..\n**\n*.\n"],
    "times": [b"09:00 up\n09:04 down\n09:05 up\n09:11 up\n", b"10:02 up\n10:07 down\n10:09 up\n10:10 down\n10:15 up\n"],
    "a table": [b"id,name,price\n1,apple,1.25\n2,pear,0.50\n5,plum,2.00\n9,fig,3.75\n"],
    "json": [b'[{"id": 1, "name": "ann", "tags": ["a"]}, {"id": 4, "name": "bob", "tags": []}]\n'],
    "json lines": [b'{"user": "ann", "n": 3}\n{"user": "bob", "n": 8}\n{"user": "cid", "n": 5}\n'],
    "ini": [b"[main]\nhost = alpha\nport = 80\n\n[log]\nlevel = debug\n", b"[main]\nhost = b\nport = 8\n"],
    "a log": [b"2024-01-02 10:00:01 INFO web: started\n2024-01-02 10:00:05 WARN db: slow query of 5 s\n"],
    "nothing": [b"", b"\n"],
    "any bytes": [b"\xff\x00 1\n", b"a\r\nb\t\n"],
}
PROGRAM = """\
import sys
if "--top" in sys.argv:
    print(7)
n = int(input())
print([word for word in input().split() if len(word) <= 15 or n > 1000])
"""
CASE = Case("1", b"2\nred blue\n", b"2\n", args=("a.csv", "3"), files=(("a.csv", INPUTS["a table"][0]),),
            written=(WrittenFile("out.txt", b"x"),))  # fmt: skip
OTHER = Case(
    "2", b"3\nred blue green\n", b"3\n", args=("b.csv", "12"), files=(("b.csv", b"id,name,price\n7,kiwi,1.00\n"),)
)


def of_inputs(path: str, known: list[bytes]) -> Iterator[object]:
    yield from islice(mutated_inputs(path, known, seed=1, words=WORDS), 60)
    yield from islice(mutated_inputs(path, known[:1], seed=2, also_known=known[1:]), 20)
    yield from broken_inputs(path, known, seed=1)
    yield from inputs_at_boundaries(path, known, (), (7, 15, 1000))
    yield from numbers_like(known, ()) if path == "" and known[0].strip().isdigit() else ()
    yield from (shrunk(data, share) for data in known for share in (0.1, 0.5, 0.9))
    found = look_at(path, known)
    for other in INPUTS.values():
        yield from (why_beyond(found, data) for data in other if found)


def of_cases() -> Iterator[object]:
    yield from boundaries(PROGRAM)
    yield from islice(mutate_cases([CASE, OTHER], seed=1, source=PROGRAM), 90)
    yield from islice(mutate_cases([CASE], seed=1, also_known=[OTHER]), 30)
    yield from islice(mutate_cases([CASE, OTHER], seed=1, breaking=True), 60)
    yield from boundary_cases(PROGRAM, [CASE, OTHER])
    yield from other_usage(PROGRAM, [CASE, OTHER])
    yield from shorter_cases(CASE, (0.2, 0.5, 0.8))
    yield largest_text(CASE)


def sized() -> Iterator[object]:
    for known in ((), (0.0, 0.9), (1.0,), (2.0, 9.0, 30.0), (5.0, 19.0, 20.0, 21.0, 300.0), (10.0, 10.0)):
        for largest in (3.9, 4.0, 8.0, 40.0, 90.0, 1000.0):
            for made in (None, (0.5, 0), (33.0, 0), (2000.0, 0)):
                yield smaller_ones(
                    [(each, at) for at, each in enumerate(known)], largest, lambda wanted, made=made: made
                )


FUNCTIONS = """\
class Box:
    @property
    def first(self):
        return 1

    @classmethod
    def kind(cls, n=1):
        return n

    def put(self, item, at: int | None = None):
        return item

async def task(items):
    return items

def gen(items):
    yield from items

async def agen(items):
    yield items

def f(a, b=2):
    return a
"""
PASTED = ("f(1, [2.5, inf])", "f(Decimal('0.5'), used(load('collections', 'deque')([1]), do.append(2)))", "CALLS[1]",
          "f(load('m', 'Box')([1]), b=3)", "f('it\\'s')", "f(CALLS[0][0][0])")  # fmt: skip


def pasted() -> Iterator[object]:
    for name in ("f", "Box.first", "Box.kind", "Box.put", "task", "gen", "agen"):
        place = Importable(Path("/p"), "m", name)
        yield from (paste(call, function(FUNCTIONS, name), [place], Path("/p/calls.py")) for call in PASTED)
        yield paste("f(1)", function(FUNCTIONS, name), [place, Importable(Path("/q"), "n", name)])


def spoken() -> Iterator[object]:
    for words in (WORDS, vocabulary(SOURCE, "def f(x):\n    return LIMIT, x['k'] is None\n"), vocabulary("", "(")):
        yield from ((each.name, getattr(words, each.name)) for each in fields(Vocabulary))
        yield words.numbers, words.words
    for pattern in (r"[a-z]+\d", r"(a|bc)*x?$", r"[^0-9]{2,4}\s\S", r"(", r"(?i)\bA\w\W.", ""):
        yield samples(pattern)
    yield refusals(function())
    found = with_optional_parameters(function(), read_ones(CALLS["lists"]))
    found |= with_optional_parameters(function(FUNCTIONS, "Box.put"), [read("f(load('m', 'Box')(), 1)")])
    yield from ((call.text, typed) for call, typed in found.items())
    yield from (ast.dump(function(FUNCTIONS, name).node) for name in ("Box.kind", "agen"))


def rows() -> dict[str, Row]:
    found: dict[str, Row] = {}
    for name, calls in CALLS.items():
        found[f"changed {name}"] = partial(derive, read_ones(calls), 150, 1, WORDS)
        found[f"changed {name} as they are"] = partial(derive, read_ones(calls), 40, 2, small=False)
        found[f"contract of {name}"] = partial(learnt, calls)
        found[f"larger {name}"] = partial(grown, calls)
        found[f"simpler {name}"] = partial(simpler, calls)
        found[f"longer {name}"] = partial(longer, calls)
    paths = {"a table": "t.csv", "json": "r.json", "json lines": "u.jsonl", "ini": "c.ini", "a log": "a.log"}
    for name, known in INPUTS.items():
        found[f"inputs like {name}"] = partial(of_inputs, paths.get(name, ""), known)
    return {**found, "sizes": sized, "cases": of_cases, "shell lines": pasted, "what a text speaks of": spoken}


ROWS = rows()


test_the_same_is_made, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
