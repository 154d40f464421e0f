"""The habits of CONTRIBUTING.md for texts and constants, as far as a test can hold them.

prose_allowance.toml has the number of places in each room that break a habit still. A number may only fall: a room with
more fails, and `python tests/test_prose.py` writes the lower ones of today.
"""

from __future__ import annotations

import ast
import builtins
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWANCE = Path(__file__).with_name("prose_allowance.toml")
WORDS = {
    name: (re.compile(row["pattern"], re.MULTILINE), row["say"])
    for name, row in tomllib.loads(Path(__file__).with_name("prose_words.toml").read_text("utf-8")).items()
}
"""Patterns that no text has, each with the words in its place."""
DOCUMENTS = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING")),
]
LONGEST = 25
"""Words of a sentence in a document."""
FORBIDDEN_START = re.compile(
    r"(and|as|both|but|by|how|it|its|likewise|none|nothing|of|raises|so many|such|that|they|those|what|when|where|which"
    r"|who|whose)\b",
    re.IGNORECASE,
)
"""First words that answer a question which the reader never sees: `Of the order within pairs.`"""
Scope = ast.Module | ast.ClassDef
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef
Place = tuple[int, str]
"""A line and the words about it."""


@dataclass(frozen=True)
class Source:
    """One file of the two packages."""

    room: str
    """Folder below a package; workloads and the sandbox have a room for each folder in them."""
    path: Path
    tree: ast.Module


@cache
def sources() -> tuple[Source, ...]:
    paths = [path for package in ("codeopt", "sandbox") for path in sorted((ROOT / package).rglob("*.py"))]
    return tuple(Source(room_of(path.relative_to(ROOT)), path, ast.parse(path.read_text("utf-8"))) for path in paths)


def room_of(path: Path) -> str:
    """`codeopt/core`, `codeopt/workloads/function`, `sandbox/codeopt_sandbox/guest`."""
    folders = path.parts[:-1]
    return "/".join(folders[: 3 if folders[:2] in (("codeopt", "workloads"), ("sandbox", "codeopt_sandbox")) else 2])


# --- the habits ----------------------------------------------------------------------------------


def riddles(tree: ast.Module) -> Iterator[Place]:
    """Docstrings that begin in mid-sentence, those of fields and constants included."""
    for node in ast.walk(tree):
        for statement in getattr(node, "body", ()) if isinstance(node, ast.Module | Definition) else ():
            text = text_of(statement)
            if text and FORBIDDEN_START.match(text):
                yield statement.lineno, f'begins in mid-sentence: "{text[:60]}"'


def packed(tree: ast.Module) -> Iterator[Place]:
    """Several constants in one assignment, which leaves one docstring for all of them."""
    for scope in scopes(tree):
        for statement, following in zip(scope.body, [*scope.body[1:], None], strict=True):
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
                continue
            if isinstance(statement.value, ast.Tuple) or (following and text_of(following)):
                yield statement.lineno, f"packs constants: {ast.unparse(statement.targets[0])}"


REFERENCE = {
    name.rpartition(".")[2]
    for page in (ROOT / "docs").glob("*.md")
    for line in re.findall(r"^::: ([\w.]+)$|members: \[(.*)\]$", page.read_text("utf-8"), re.MULTILINE)
    for name in re.findall(r"[\w.]+", " ".join(line))
}
"""Names that the reference of the site shows."""


def undocumented(tree: ast.Module) -> Iterator[Place]:
    """Names of the reference, protocols, and public members of both without a docstring. Methods may inherit one."""
    for scope in scopes(tree):
        owner = isinstance(scope, ast.ClassDef) and (scope.name in REFERENCE or "Protocol" in bases(scope))
        for each in public(scope):
            protocol = isinstance(each, ast.ClassDef) and "Protocol" in bases(each)
            inherits = isinstance(scope, ast.ClassDef) and isinstance(each, Function) and bases(scope) - {"Protocol"}
            if (owner or protocol or each.name in REFERENCE) and not ast.get_docstring(each) and not inherits:
                yield each.lineno, f"has no docstring: {each.name}"


FILLERS = frozenset(
    re.findall(
        r"\w+",
        "a all an and any are as at be by each for from get given has have if in is it its made make new no none not"
        " object of on one or return returns some that the their them these they this those to value values when which"
        " with yield",
    )
)
"""Words that add nothing to a name."""


def repeats(tree: ast.Module) -> Iterator[Place]:
    """Docstrings that say no more than the name, the types and the class, apart from the reference and protocols."""
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.Module | ast.ClassDef):
            continue
        if isinstance(scope, ast.ClassDef) and "Protocol" in bases(scope):
            continue
        for each in scope.body:
            if not isinstance(each, Definition) or {each.name, getattr(scope, "name", "")} & REFERENCE:
                continue
            types = [each.args, each.returns] if isinstance(each, Function) else each.bases
            known = {each.name, getattr(scope, "name", ""), *(ast.unparse(part) for part in types if part)}
            text = ast.get_docstring(each) or ""
            if text and not re.search(r"[\d`]", text) and stems(text) - FILLERS <= stems(" ".join(known)):
                yield each.lineno, f'repeats its name: "{text}"'


def stems(text: str) -> set[str]:
    """The words of a text or an identifier, without the endings of English."""
    found = (word.lower() for word in re.findall(r"[A-Z]?[a-z]+", text))
    return {word if word in FILLERS else re.sub(r"(ies|es|ing|ed|y|e|s)$", "", word) for word in found}


def unsaid_errors(tree: ast.Module) -> Iterator[Place]:
    """Public functions whose docstring leaves out an error that they raise themselves."""
    for scope in scopes(tree):
        for each in public(scope):
            text = ast.get_docstring(each) or ""
            if isinstance(each, ast.ClassDef) or not text:
                continue
            unsaid = [name for name in raised(each) if not says(text, name)]
            if unsaid:
                yield each.lineno, f"does not say that it raises {', '.join(unsaid)}: {each.name}"


def dialect(tree: ast.Module) -> Iterator[Place]:
    """Docstrings with a word of prose_words.toml."""
    for node in ast.walk(tree):
        for statement in getattr(node, "body", ()) if isinstance(node, ast.Module | Definition) else ():
            for found, say in banned_in(text_of(statement)):
                yield statement.lineno, f'says "{found}": say {say}'


PROMPTS = (
    "codeopt/core/briefing.py",
    "codeopt/engine/judge.py",
    "codeopt/engine/llm_judge.py",
    "codeopt/proposers",
    "codeopt/selfrefine",
    "codeopt/tasks",
    "codeopt/workloads/function/briefing.py",
    "codeopt/workloads/function/corpus/model_written.py",
    "codeopt/workloads/project/answers.py",
    "codeopt/workloads/project/prompt",
)
"""Files and folders of texts that a language model reads. They change only with a measurement."""
MESSAGE = re.compile(r"[A-Za-z]{2,}")
"""A word. A constant with four of them and a space is a message."""


def messages(tree: ast.Module) -> Iterator[Place]:
    """Messages with a word of prose_words.toml, each part of an f-string apart."""
    docstrings = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | Definition)
        for statement in node.body
        if text_of(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            for found, say in banned_in(node.value) if len(MESSAGE.findall(node.value)) > 3 else ():
                yield node.lineno, f'says "{found}": say {say}'


def banned_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a text that are in prose_words.toml, each with the words in its place."""
    for pattern, say in WORDS.values():
        yield from ((found[0], say) for found in pattern.finditer(text))


HABITS: Mapping[str, Callable[[ast.Module], Iterator[Place]]] = {
    habit.__name__: habit for habit in (riddles, packed, undocumented, repeats, unsaid_errors, dialect)
}


def test_no_message_has_a_word_of_the_list() -> None:
    """Those that a language model reads apart."""
    places = [
        f"{path}:{line} {words}"
        for source in sources()
        if not (path := source.path.relative_to(ROOT).as_posix()).startswith(PROMPTS)
        for line, words in messages(source.tree)
    ]
    assert places == []


@pytest.mark.parametrize("habit", HABITS)
def test_no_room_breaks_a_habit_more_often_than_it_may(habit: str) -> None:
    allowed = allowance()
    for room, places in found(habit).items():
        may = allowed.get(room, {}).get(habit, 0)
        assert len(places) <= may, f"{room} has {len(places)} ({may} are allowed):\n" + "\n".join(places)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_no_document_has_a_word_of_the_list(document: Path) -> None:
    """Blocks of code, the table of flags and the reasons of rules apart: the code and models have these."""
    text = re.sub(r"```.*?```|<!-- flags: written.*?<!-- end of flags -->", "", document.read_text("utf-8"), flags=re.S)
    text = re.sub(r"^\| `\w+` \|.*$", "", text, flags=re.MULTILINE) if document.name == "rules.md" else text
    assert [f'"{found}": say {say}' for found, say in banned_in(text)] == []


def test_sentences_of_documents_are_short() -> None:
    long = [
        sentence
        for path in DOCUMENTS
        for sentence in sentences(path.read_text("utf-8"))
        if len(sentence.split()) > LONGEST
    ]
    assert long == []


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a document, code as one word, without tables and headings."""
    text = re.sub(r"```.*?```|<!-- flags: written.*?<!-- end of flags -->|<!--.*?-->", "", text, flags=re.DOTALL)
    for part in re.split(r"\n\s*\n|\n(?=[-*#] )|\n(?=\d+\. )|\n(?=\|)", text):
        if not part.startswith(("|", "#", "    ")):
            flat = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "CODE", " ".join(part.split())))
            yield from re.split(r"(?<=[.!?])\s+(?=[A-Z*`(])", flat)


# --- reading a tree ------------------------------------------------------------------------------


def scopes(scope: Scope) -> Iterator[Scope]:
    """A module and its public classes, those in classes too."""
    yield scope
    for each in public(scope):
        if isinstance(each, ast.ClassDef):
            yield from scopes(each)


def public(scope: Scope) -> Iterator[Definition]:
    return (each for each in scope.body if isinstance(each, Definition) and not each.name.startswith("_"))


def text_of(statement: ast.stmt) -> str:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value.value.strip() if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def raised(function: Function) -> list[str]:
    """Names of the exceptions that a function's own code raises; `error` for one made by a function."""
    names = []
    for node in own_nodes(function):
        if isinstance(node, ast.Raise) and node.exc is not None:
            made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = ast.unparse(made).rpartition(".")[2]
            names.append(name if name[:1].isupper() else "error")
    return [name for name in dict.fromkeys(names) if name not in ("AssertionError", "NotImplementedError")]


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Definition | ast.Lambda):
            yield child
            yield from own_nodes(child)


def says(docstring: str, error: str) -> bool:
    """A docstring names an error, or one of its bases."""
    raises = re.search(r"\braises?\b", docstring, re.IGNORECASE) is not None
    return raises and (error == "error" or any(re.search(rf"\b{name}\b", docstring) for name in lineage(error)))


@cache
def lineage(error: str) -> frozenset[str]:
    above = {name for base in class_bases().get(error, ()) for name in lineage(base)}
    builtin = getattr(builtins, error, None)
    return frozenset({error, *above, *(each.__name__ for each in getattr(builtin, "__mro__", ()))})


@cache
def class_bases() -> dict[str, set[str]]:
    nodes = (node for source in sources() for node in ast.walk(source.tree))
    return {node.name: bases(node) for node in nodes if isinstance(node, ast.ClassDef)}


def bases(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}


# --- the numbers ---------------------------------------------------------------------------------


@cache
def found(habit: str) -> dict[str, list[str]]:
    """The places of each room that break a habit."""
    rooms: dict[str, list[str]] = {}
    for source in sources():
        for line, words in HABITS[habit](source.tree):
            rooms.setdefault(source.room, []).append(f"{source.path.relative_to(ROOT)}:{line} {words}")
    return rooms


def allowance() -> dict[str, dict[str, int]]:
    return tomllib.loads(ALLOWANCE.read_text("utf-8")) if ALLOWANCE.exists() else {}


def lowered(before: Mapping[str, Mapping[str, int]]) -> str:
    """The allowance of today; a number that would rise stays as it was."""
    text = "# Places that break a habit of tests/test_prose.py still, by room. A number may only fall.\n"
    for room in sorted({source.room for source in sources()}):
        counts = {habit: len(found(habit).get(room, ())) for habit in HABITS}
        if before:
            counts = {habit: min(count, before.get(room, {}).get(habit, 0)) for habit, count in counts.items()}
        if any(counts.values()):
            rows = "".join(f"{habit} = {count}\n" for habit, count in counts.items() if count)
            text += f'\n["{room}"]\n{rows}'
    return text


if __name__ == "__main__":
    ALLOWANCE.write_text(lowered(allowance()), "utf-8")
