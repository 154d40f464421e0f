"""Inputs that nobody has seen: known ones changed, with the original program as the oracle."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any

from codeopt.workloads.contract.layout import integer
from codeopt.workloads.generated.vocabulary import Vocabulary, vocabulary
from codeopt.workloads.program.mutated_inputs import (
    MutatedInput,
    boundaries,
    broken_inputs,
    inputs_at_boundaries,
    mutated_inputs,
    numbers_like,
    smaller_inputs,
)
from codeopt_sandbox.outcome import Case, Run

# The parts of a case that can be changed: standard input, each file of text that it brings, each argument that is a
# number.

SHOWN = 80


@dataclass(frozen=True)
class MutatedCase:
    """One case with one thing changed."""

    name: str
    case: Case
    """With what the original prints on it, once it was run and has ended well."""
    because: str = ""
    """Reason why it is unusual, as a property of the known cases that it breaks. Empty for a similar one."""
    relation: str = ""
    """Relation that it was made to break, by its number and what is changed; empty where it was made for another
    reason."""
    error: Run | None = None
    """Run of the original that ends with an error; None where it ends well."""


@dataclass(frozen=True)
class _Text:
    """A file of text; standard input where the path is empty."""

    path: str = ""

    @property
    def suffix(self) -> str:
        return f".{self.path}" * bool(self.path)

    def read(self, case: Case) -> bytes | None:
        if not self.path:
            return case.stdin if case.stdin or not case.has_arguments else None
        content = dict(case.files or ()).get(self.path)
        return content if content and b"\0" not in content else None

    def put(self, case: Case, data: bytes) -> Case:
        changed = replace(case, expected=None, written=None)
        if self.path or case.has_arguments:
            changed = replace(changed, title=f"the changed {self.path or 'standard input'} {quoted(data)}")
        if not self.path:
            return replace(changed, stdin=data)
        files = ((path, data if path == self.path else content) for path, content in case.files or ())
        return replace(changed, files=tuple(files))

    def changes(
        self, known: Sequence[bytes], also: Sequence[bytes], seed: int, words: Vocabulary, *, breaking: bool
    ) -> Iterable[MutatedInput]:
        make = broken_inputs if breaking else mutated_inputs
        return make(self.path, known, seed=seed, also_known=also, words=words)


@dataclass(frozen=True)
class _Number:
    """An argument that is a number."""

    place: int

    @property
    def suffix(self) -> str:
        return f".argument{self.place}"

    def read(self, case: Case) -> bytes | None:
        text = case.args[self.place] if self.place < len(case.args) else ""
        return text.encode() if text.isascii() and text.removeprefix("-").replace(".", "", 1).isdigit() else None

    def put(self, case: Case, data: bytes) -> Case:
        args = (*case.args[: self.place], data.decode(), *case.args[self.place + 1 :])
        return replace(case, args=args, expected=None, written=None, title=f"the arguments {' '.join(args)[:SHOWN]}")

    def changes(
        self, known: Sequence[bytes], also: Sequence[bytes], seed: int, words: Vocabulary, *, breaking: bool
    ) -> Iterable[MutatedInput]:
        return (each for each in numbers_like(known, also) if bool(each.relation) is breaking)


_Slot = _Text | _Number
Changes = Callable[[Sequence[bytes], Sequence[bytes]], Iterable[MutatedInput]]
"""Changes of known contents; the second are contents that are not changed."""


def _slots(cases: Iterable[Case]) -> list[_Slot]:
    slots: dict[_Slot, None] = {_Text(): None}
    for case in cases:
        slots |= dict.fromkeys(_Text(path) for path, _ in case.files or ())
        slots |= dict.fromkeys(map(_Number, range(len(case.args))))
    return list(slots)


def mutate_cases(
    cases: Sequence[Case], *, seed: int, also_known: Sequence[Case] = (), source: str = "", breaking: bool = False
) -> Iterator[MutatedCase]:
    """Changed cases, taking turns between what can be changed. The same seed gives the same ones.

    source: text of the program, whose constants are tried as values. breaking: each breaks one relation that all known
    cases keep.
    """
    words = vocabulary(source, source) if source else Vocabulary()
    series = [
        _mutated(slot, cases, also_known, partial(slot.changes, seed=seed, words=words, breaking=breaking))
        for slot in _slots(cases)
    ]
    return (mutated for turn in zip_longest(*series) for mutated in turn if mutated is not None)


def boundary_cases(source: str, cases: Sequence[Case], also_known: Sequence[Case] = ()) -> Iterator[MutatedCase]:
    """Changed cases with a value or a length at a number of the program's text."""
    near = boundaries(source)
    for slot in _slots(cases):
        if isinstance(slot, _Text) and near:
            yield from _mutated(slot, cases, also_known, partial(inputs_at_boundaries, slot.path, near=near))


def _mutated(slot: _Slot, cases: Sequence[Case], also: Sequence[Case], changes: Changes) -> Iterator[MutatedCase]:
    known, more = ([(case, data) for case in some if (data := slot.read(case)) is not None] for some in (cases, also))
    contents, others = ([data for _, data in some] for some in (known, more))
    for mutated in changes(contents, others) if known else ():
        case = slot.put(known[0][0], mutated.stdin)
        relation = f"{mutated.relation}{slot.suffix}" if mutated.relation else ""
        yield MutatedCase(f"{mutated.name}{slot.suffix}", case, mutated.because, relation)


def largest_text(case: Case) -> bytes:
    """The largest thing in a case that can be changed; its size is the size of the case."""
    return max((slot.read(case) or b"" for slot in _slots([case])), key=len)


def smaller_cases(case: Case, known: Sequence[Case]) -> Iterator[Case]:
    """The case with one of its texts smaller, which keeps what those of all known cases keep."""
    for slot in _slots([case]):
        data = slot.read(case)
        if isinstance(slot, _Text) and data:
            texts = [text for each in known if (text := slot.read(each)) is not None]
            yield from (slot.put(case, less) for less in smaller_inputs(slot.path, data, texts))


def shorter_cases(case: Case, shares: Iterable[float]) -> Iterator[Case]:
    """Yield the case with its largest part at each of these lengths, if possible, and without an expected output."""
    slot = max(_slots([case]), key=lambda each: len(each.read(case) or b""))
    data = slot.read(case)
    if data is None:
        return
    if slot.suffix and isinstance(slot, _Text):
        shortened = list(shorter_file(data, shares))
    else:
        shortened = [less for share in shares if (less := shrunk(data, share)) is not None]
    for at, less in enumerate(less for less in shortened if less != data):
        yield replace(slot.put(case, less), name=f"shorter.{at}")


def quoted(data: bytes) -> str:
    """A text as Python writes it, cut."""
    cut = data if len(data) <= SHOWN else data[:SHOWN] + b"..."
    return repr(cut.decode("utf-8", "backslashreplace"))


_OPTION = re.compile(r"--[A-Za-z][\w-]*")


def other_usage(source: str, cases: Sequence[Case], also_known: Sequence[Case] = ()) -> Iterator[MutatedCase]:
    """Cases of a program, by its text and by what it wrote on known ones.

    also_known: cases that are not changed, as a model may not see them.
    """
    yield from _in_one_folder(cases)
    yield from _with_other_names(cases)
    yield from _after_the_end(cases)
    given = {word.partition("=")[0] for case in (*cases, *also_known) for word in case.args}
    texts = [each.value for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Constant)] if cases else []
    for option in dict.fromkeys(text for text in texts if isinstance(text, str) and _OPTION.fullmatch(text)):
        for value in ((), ("1",)) if option not in given else ():  # it may need a word after it
            args = (*cases[0].args, option, *value)
            case = replace(cases[0], args=args, title=f"the arguments {' '.join(args)[:SHOWN]}")
            yield _of_usage(".".join(("option", option, *value)), case, f"no known case gives {option}")


def _in_one_folder(cases: Sequence[Case]) -> Iterator[MutatedCase]:
    """A case whose folder has the files that a run on it left."""
    for case in cases:
        left = {each.path: each.content for each in case.written or () if not each.special}
        there = {path: data for path, data in {**dict(case.files or ()), **left}.items() if data is not None}
        if left and there:
            title = f"{case.title or case.name}, in the folder that a run on it left"
            yield _of_usage("again", replace(case, files=tuple(there.items()), title=title))
            return


def _with_other_names(cases: Sequence[Case]) -> Iterator[MutatedCase]:
    """A case whose files have other names, where arguments name them."""
    for case in cases:
        named = [path for path, _ in case.files or () if path in case.args]
        if named:
            other = {path: f"{path.removesuffix(end := PurePosixPath(path).suffix)}2{end}" for path in named}
            args = tuple(other.get(word, word) for word in case.args)
            files = tuple((other.get(path, path), data) for path, data in case.files or ())
            title = f"the arguments {' '.join(args)[:SHOWN]}, and files of these names"
            yield _of_usage("names", replace(case, args=args, files=files, title=title))
            return


def _after_the_end(cases: Sequence[Case]) -> Iterator[MutatedCase]:
    """A case with lines after those that a number of its first line counts."""
    for case in sorted(cases, key=lambda each: len(each.stdin)):
        lines = case.stdin.rstrip().split(b"\n")
        if len(lines) > 2 and b"%d" % (len(lines) - 1) in lines[0].split():
            longer = replace(case, stdin=b"\n".join((*lines, lines[-1], lines[-2], b"")))
            yield _of_usage("after", longer, "no known input goes on after its end")
            return


def _of_usage(name: str, case: Case, because: str = "") -> MutatedCase:
    return MutatedCase(name, replace(case, expected=None, written=None), because)


# Inputs of the same kind that are shorter; their counts kept true.


def shrunk(data: bytes, share: float) -> bytes | None:
    """Return an input of the same kind and a share of the length, with correct counts. None if the text does not allow
    it."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    if not lines:
        return None
    first = lines[0].split()
    follow = len(lines) - 1
    if follow > 1 and (at := _index(first, follow)) is not None:
        kept = max(1, round(follow * share))
        head = b" ".join([*first[:at], b"%d" % kept, *first[at + 1 :]])
        return b"\n".join([head, *lines[1 : 1 + kept], b""])
    last = lines[-1].split()
    if len(last) > 4:
        return _shorter_last_line(lines, last, max(1, round(len(last) * share)))
    value = integer(first[0]) if len(lines) == 1 and len(first) == 1 else None
    return b"%d\n" % max(1, round(value * share)) if value else None


def _shorter_last_line(lines: Sequence[bytes], last: Sequence[bytes], kept: int) -> bytes | None:
    if len(lines) == 1:
        if integer(last[0]) == len(last) - 1:
            return b" ".join([b"%d" % max(1, kept - 1), *last[1 : max(2, kept)]]) + b"\n"
        return b" ".join(last[:kept]) + b"\n"
    for number in range(len(lines) - 2, -1, -1):
        head = lines[number].split()
        if (at := _index(head, len(last))) is not None:
            changed = b" ".join([*head[:at], b"%d" % kept, *head[at + 1 :]])
            return b"\n".join([*lines[:number], changed, *lines[number + 1 : -1], b" ".join(last[:kept]), b""])
    return None


def _index(tokens: Sequence[bytes], value: int) -> int | None:
    return next((at for at, token in enumerate(tokens) if integer(token) == value), None)


def shorter_file(data: bytes, shares: Iterable[float]) -> Iterator[bytes]:
    """A file's first lines, or a JSON list's first elements, at each of these lengths."""
    try:
        document = json.loads(data) if data.lstrip()[:1] in (b"{", b"[") else None
    except (ValueError, RecursionError):
        document = None
    indent = 2 if data.strip().count(b"\n") else None  # in several lines if it is
    for share in shares:
        if isinstance(document, list | dict):
            less = json.dumps(_first_share(document, share), indent=indent, ensure_ascii=False).encode()
            yield less + b"\n" * data.endswith(b"\n")
        else:
            lines = data.splitlines(keepends=True)
            yield b"".join(lines[: max(1, round(len(lines) * share))])


def _first_share(value: Any, share: float) -> Any:
    if isinstance(value, list):
        return value[: max(1, round(len(value) * share))]
    if isinstance(value, dict):
        return {key: _first_share(each, share) for key, each in value.items()}
    return value
