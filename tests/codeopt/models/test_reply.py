"""Programs and verdicts are found in whatever a model replies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.model import Reply
from codeopt.models._reply import NONE, draft_below, is_done, to_draft

PROGRAM = "import sys\n\nprint(sum(map(int, sys.stdin)))\n"
OTHER = "import sys\n\nprint(max(map(int, sys.stdin)))\n"
BLOCK = f"```python\n{PROGRAM}```"
TICKS = 'TEXT = """\n```\nfence\n```\n"""\nprint(TEXT)\n'


def reply(text: str, cut: bool = False) -> Reply:
    return Reply(text, tokens_in=1, tokens_out=1, cost_usd=None, seconds=0.1, model="m", cut=cut)


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        f"SUMMARY: sum\n\n{BLOCK}\n",
        f"SUMMARY: sum\r\n\r\n{BLOCK}\r\n".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"\ufeff{BLOCK}",
        f"```py\n{PROGRAM}```",
        f"```Python3\n{PROGRAM}```",
        f"```python title=a.py\n{PROGRAM}```",
        f"```\n{PROGRAM}```",
        f"~~~python\n{PROGRAM}~~~",
        f"````python\n{PROGRAM}````",
        f"```python\n\n\n{PROGRAM}\n\n```",
        f"```json\n{{}}\n```\n````python\n{PROGRAM}```\n```\n",
        f"Unclosed:\n```python\n{PROGRAM}",
        f"1. So:\n   ```python\n   {PROGRAM.replace(chr(10), chr(10) + '   ').rstrip()}\n   ```",
        f"The hot line was\n```python\nx in xs\n```\nand now:\n{BLOCK}",
        f"{BLOCK}\nCall it with\n```python\nrun()\n```",
        f"{BLOCK}\nIt prints\n```\n6\n```",
        f"```bash\npython3 slow.py\n```\n{BLOCK}",
        f"{BLOCK}\n```json\n{{}}\n```",
        f"```python\n{OTHER}```\nNo, the sum is asked for:\n{BLOCK}",
        f"```python\nimport sys\nprint(\n```\nSorry, whole:\n{BLOCK}",
        f"<think>\n```python\n{OTHER}```\nHmm.\n</think>\n{BLOCK}",
        f"thoughts without an opening tag</think>{BLOCK}",
        PROGRAM,
        f"Here is the program:\n\n{PROGRAM}",
        f"Sure\n\n{PROGRAM}",
    ],
)
def test_the_program_is_found(text: str) -> None:
    draft = to_draft(reply(text))
    assert draft.source == PROGRAM
    assert draft.problem == ""


@pytest.mark.parametrize("before", ["```python\n", "Here you are:\n\n"])
def test_blank_lines_in_strings_and_unusual_first_lines_stay(before: str) -> None:
    program = 'n, *rest = list(map(int, open(0).read().split()))\ntext = """\n   \n"""\nprint(text)\n'
    assert to_draft(reply(before + program)).source == program


def test_a_program_with_back_quotes_in_it() -> None:
    draft = to_draft(reply(f"SUMMARY: x\n```python\n{TICKS}```\n"))
    assert (draft.source, draft.problem) == (TICKS, "")


@pytest.mark.parametrize(
    ("text", "cut", "problem"),
    [
        ("", False, "the model's reply is empty"),
        ("  \n", False, "the model's reply is empty"),
        ("I am sorry, I cannot do that.", False, "the model's reply holds no program"),
        ("Sorry", False, "the model's reply holds no program"),
        ("```json\n{}\n```", False, "the model's reply holds no program"),
        ("I would write `print(math.pi * 2)`.", False, "the model's reply holds no program"),
        ("Let me think about", True, "the model's reply was cut off before any program"),
        (f"<think>Perhaps\n{BLOCK}", True, "the model's reply was cut off before any program"),
        ("```python\nx = 1\nprint(x\n```", False, "syntax error in line 2: '(' was never closed"),
        ("```python\nx = (1,\n", True, "(the reply was cut off at its length limit)"),
        ("```python\nx = '\0'\n```", False, "syntax error"),
    ],
)
def test_what_is_wrong_with_a_reply(text: str, cut: bool, problem: str) -> None:
    assert problem in to_draft(reply(text, cut)).problem


def test_a_broken_program_is_kept_for_the_next_round() -> None:
    assert to_draft(reply("```python\nprint(1\n```")).source == "print(1\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Sure! I would need to see more of your data\nbefore I can say anything about the program, I fear", "Sure! I "
         "would need to see more of your data before I can say ..."),
        ("", ""),
        (BLOCK, None),
        ("```python\nprint(1\n```", None),
    ],
)  # fmt: skip
def test_the_first_words_of_a_reply_without_a_program_are_kept(text: str, words: str | None) -> None:
    assert to_draft(reply(text)).no_program == words
    assert words is None or to_draft(reply(text), OTHER).summary == NONE


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("All is well.\nVERDICT: DONE", True),
        ("**VERDICT: DONE**", True),
        ("**Verdict**: done.", True),
        ("VERDICT: DONE\nVERDICT: IMPROVE", False),
        ("VERDICT: IMPROVE", False),
        ("Nothing to do.", False),
        ("", False),
        ("The program prints\n```\nVERDICT: DONE\n```\nwhich is wrong.", False),
        ("The verdict: done is not yet deserved.", False),
        ("<think>VERDICT: IMPROVE</think>VERDICT: DONE", True),
    ],
)
def test_verdicts(text: str, done: bool) -> None:
    assert is_done(text) is done


@given(
    st.lists(
        st.sampled_from(["```", "```python", "~~~", "\n", "import x", "x =", "print(1)", " ", "def f():"]), max_size=30
    )
)
def test_any_reply_makes_a_draft(parts: list[str]) -> None:
    draft = to_draft(reply("".join(parts)))
    assert draft.source.strip() or draft.problem
    assert len(draft.summary.splitlines()) == 1


def test_a_critique_may_come_with_a_draft_below_it() -> None:
    """The draft begins with its line of summary; a fence within the critique alone is no draft."""
    program = "SUMMARY: by a set\n\n```python\nprint(len({*input()}))\n```\n"
    text, draft = draft_below(f"Line 2 is slow.\n\n{program}VERDICT: IMPROVE\n", reply("unused"), "print(1)\n")
    assert text == "Line 2 is slow.\n\nVERDICT: IMPROVE"
    assert draft is not None
    assert (draft.source, draft.summary, draft.problem) == ("print(len({*input()}))\n", "by a set", "")
    only = "Use this:\n```python\nprint(2)\n```\nVERDICT: IMPROVE"
    assert draft_below(only, reply(only)) == (only, None)
