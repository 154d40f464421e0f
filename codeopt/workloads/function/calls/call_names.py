"""Calls in a readable form: pickled parts appear as their repr, with the place that a call comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from codeopt.workloads.function.calls.counterexample import as_python
from codeopt.workloads.source.literals import with_recipes_in_words

OPAQUE = re.compile(r"unpickle\('[^']*'(?:, '[^']*')?\)|load\('([^']*)', '([^']*)'\)|(?:CALLS|BIG)\[\d+\]")
"""Parts of a call that no literal can represent."""
MOST = 400
"""Maximum number of further words."""
WHENCE = {
    "tests": "made by a test",
    "doctests": "made by a doctest",
    "recorded": "that was recorded",
    "calls_file": "of the --calls file",
    "model": "that the model wrote",
    "type_hints": "generated from the type hints",
    "refused": "generated, which the function's own text refuses",
}
"""Words for the source of a call."""


@dataclass(frozen=True)
class CallNames:
    """Words for parts of calls."""

    words: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    """Qualified name of a method, which replaces the `f` of its calls. Empty for a function."""

    def shown(self, call: str) -> str:
        """Return a call in readable form. A method's call has its name; in a scenario `f` is the function."""
        text = self.readable(call)
        return f"{self.method}{text[1:]}" if self.method and call.startswith("f(") else text

    def readable(self, call: str) -> str:
        """A call with its parts in words; they are data of the code under test. A scenario as Python writes it."""
        return self.in_words(with_recipes_in_words(as_python(call)))

    def in_words(self, text: str) -> str:
        """A text with the parts of calls in it in words."""
        return OPAQUE.sub(lambda match: self.words.get(match[0], match[0]), text) if self.words else text

    def written(self, shown: str) -> str:
        """The call behind a shown one; as it is shown where two parts go by the same words."""
        if self.method and shown.startswith(f"{self.method}("):
            shown = f"f{shown.removeprefix(self.method)}"
        parts: dict[str, list[str]] = {}
        for part, words in self.words.items():
            parts.setdefault(words, []).append(part)
        unique = {words: part[0] for words, part in parts.items() if len(part) == 1}
        longest_first = sorted(map(re.escape, unique), key=len, reverse=True)
        return re.sub("|".join(longest_first), lambda match: unique[match[0]], shown) if unique else shown


def find_names(
    calls: Sequence[str], show: Callable[[tuple[str, ...]], Sequence[str]], home: str = "", method: str = ""
) -> CallNames:
    """Find readable texts for the parts of calls that have no literal.

    Args:
        calls: The calls.
        show: Returns readable texts of calls. The code under test writes them.
        home: Package whose names appear without their module.
        method: Qualified name of a method, or empty.
    """
    found = {match[0]: match for call in calls for match in OPAQUE.finditer(call)}
    words = {text: _name(match[1], match[2], home) for text, match in found.items() if match[1]}
    rest = [text for text in found if text not in words][:MOST]
    shown = show(tuple(text if text.endswith("]") else f"f({text})" for text in rest)) if rest else ()
    for text, line in zip(rest, shown, strict=False):
        if line.startswith("f("):
            words[text] = f"{text} = {line}" if text.endswith("]") else line[2:-1]
    return CallNames(words, method)


def _name(module: str, name: str, home: str) -> str:
    return name if module.partition(".")[0] in (home, "builtins") else f"{module}.{name}"


def origin_of(call: str, sources: Mapping[str, str], places: Mapping[str, str]) -> str:
    """Origin of a call: "a call made by a test (tests/test_a.py::test_b)"."""
    place = f" ({places[call]})" if places.get(call) else ""
    return f"a call {WHENCE.get(sources.get(call, ''), 'generated from known ones')}{place}"
