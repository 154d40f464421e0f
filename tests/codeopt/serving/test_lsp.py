"""`codeopt lsp`, spoken to by pygls' client: what an editor shows, applies and cancels."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from codeopt.core.cache import machine
from codeopt.core.options import ImproveOptions
from codeopt.core.run_store import digest
from codeopt.report.answers import JudgedJson, gather_judged
from codeopt.report.verdict import Verdict
from codeopt.review.findings.finding import FindingKeys
from codeopt.review.suggestion import Suggestion
from codeopt.serving.slow_functions import ShownFunction, SlowFunction, saved, shown, text_edits
from codeopt_sandbox.compare import Decision
from tests.codeopt.command import environment
from tests.codeopt.serving.projects import RIGHT, SLOW, contents, family, make_project
from tests.support.files import write_files

ARGUMENTS = ("-P", "-m", "codeopt", "lsp", "--sandbox", "bubblewrap", "--python", sys.executable)


@dataclass
class Editor:
    """What a client was told, and the file that it has open."""

    client: LanguageClient
    root: Path
    diagnostics: dict[str, list[lsp.Diagnostic]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    progress: list[Any] = field(default_factory=list)
    edits: list[lsp.WorkspaceEdit] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def open(self, name: str) -> None:
        text = (self.root / name).read_text()
        item = lsp.TextDocumentItem(self.uri(name), "python", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def type(self, name: str, text: str) -> None:
        document = lsp.VersionedTextDocumentIdentifier(2, self.uri(name))
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def lenses(self, name: str) -> list[str]:
        identifier = lsp.TextDocumentIdentifier(self.uri(name))
        found = await self.client.text_document_code_lens_async(lsp.CodeLensParams(identifier))
        return [each.command.title for each in found or [] if each.command]

    async def actions(self, name: str, line: int) -> dict[str, lsp.CodeAction | lsp.Command]:
        """By title; lsprotocol reads an action with a command, which has both keys, as a command."""
        place = lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0))
        asked = lsp.CodeActionParams(lsp.TextDocumentIdentifier(self.uri(name)), place, lsp.CodeActionContext([]))
        found = await self.client.text_document_code_action_async(asked)
        return {each.title: each for each in found or []}

    async def hover(self, name: str, line: int) -> str:
        """Markdown of a line; empty where there is none."""
        asked = lsp.HoverParams(lsp.TextDocumentIdentifier(self.uri(name)), lsp.Position(line, 0))
        found = await self.client.text_document_hover_async(asked)
        return found.contents.value if found and isinstance(found.contents, lsp.MarkupContent) else ""

    async def told(
        self, name: str, fits: Callable[[list[lsp.Diagnostic]], bool] = lambda found: True
    ) -> list[lsp.Diagnostic]:
        """The diagnostics of a file once there are some that fit."""
        for _ in range(400):
            found = self.diagnostics.get(self.uri(name), [])
            if found and fits(found):
                return found
            await asyncio.sleep(0.05)
        raise AssertionError(self.diagnostics)

    async def do(self, command: str, *arguments: str) -> Any:
        asked = lsp.ExecuteCommandParams(command, list(arguments))
        found = await self.client.workspace_execute_command_async(asked)
        return found if isinstance(found, dict) else found._asdict()


@asynccontextmanager
async def opened(root: Path, *flags: str, mark: str = "") -> AsyncIterator[Editor]:
    """An editor with the project open."""
    client = LanguageClient("editor", "1")
    editor = Editor(client, root)

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def told(params: lsp.PublishDiagnosticsParams) -> None:
        editor.diagnostics[params.uri] = list(params.diagnostics)

    @client.feature(lsp.WINDOW_SHOW_MESSAGE)
    def shown(params: lsp.ShowMessageParams) -> None:
        editor.messages.append(params.message)

    @client.feature(lsp.WINDOW_WORK_DONE_PROGRESS_CREATE)
    def created(params: lsp.WorkDoneProgressCreateParams) -> None:
        return None

    @client.feature(lsp.PROGRESS)
    def progressed(params: lsp.ProgressParams) -> None:
        editor.progress.append(params)
        if "case" in str(params.value) or "calls" in str(params.value):
            editor.begun.set()

    @client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def applied(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        editor.edits.append(params.edit)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    await client.start_io(sys.executable, *ARGUMENTS, *flags, env=environment(MARK=mark))
    window = lsp.WindowClientCapabilities(work_done_progress=True)
    await client.initialize_async(lsp.InitializeParams(
        capabilities=lsp.ClientCapabilities(window=window), root_uri=root.as_uri(),
        workspace_folders=[lsp.WorkspaceFolder(root.as_uri(), "project")],
    ))  # fmt: skip
    client.initialized(lsp.InitializedParams())
    try:
        yield editor
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()


def test_what_is_slow_is_shown_and_a_verified_change_applied(tmp_path: Path) -> None:
    """Nothing runs before the user asks, and no file is written."""
    project = make_project(tmp_path)
    before = contents(project)

    async def editing() -> None:
        async with opened(project, mark=mark) as editor:
            editor.open("words.py")
            assert await editor.lenses("words.py") == []
            assert "codeopt: improve repeated by rules" in await editor.actions("words.py", 4)
            assert len(family(mark)) == 1  # the server itself
            assert (await editor.do("codeopt.check", editor.uri("words.py")))["improved"] == 1
            (found,) = editor.diagnostics[editor.uri("words.py")]
            assert found.range.start.line == 0
            assert "of its tests' time; list_membership_to_set: " in found.message
            assert found.message.endswith("x faster, verified")
            assert await editor.lenses("words.py") == [f"{found.message}: apply"]
            titles = await editor.actions("words.py", 4)
            title = next(
                each for each in titles if each.startswith("codeopt: `in` compares with every element of a list")
            )
            action = titles[title]
            assert isinstance(action, lsp.CodeAction)
            assert action.edit
            assert action.edit.changes
            changes = action.edit.changes[editor.uri("words.py")]
            assert [each.new_text for each in changes] == [
                "    seen_set = set()\n", "        if word in seen_set:\n", "            seen_set.add(word)\n",
            ]  # fmt: skip
            assert (await editor.do("codeopt.apply", editor.uri("words.py"), "repeated"))["applied"]
            assert editor.edits == [action.edit]
            told = await editor.hover("words.py", 0)
            assert "% of its tests' time" in told
            assert "95% CI" in told
            assert await editor.hover("words.py", 1) == ""
            assert 0 in [dict(each.value).get("percentage") for each in editor.progress if isinstance(each.value, dict)]
            editor.type("words.py", "LIMIT = 3\n\n\n" + SLOW)  # the same function, three lines below
            (moved,) = await editor.told("words.py", lambda found: found[0].range.start.line == 3)
            assert moved.message == found.message
            action = (await editor.actions("words.py", 5))[title]
            assert isinstance(action, lsp.CodeAction)
            assert action.edit
            assert action.edit.changes
            assert action.edit.changes[editor.uri("words.py")][0].range.start == lsp.Position(6, 0)
            editor.type("words.py", RIGHT)  # the text of which that was verified is gone
            (old,) = await editor.told("words.py", lambda found: "old: the code changed" in found[0].message)
            assert old.severity == lsp.DiagnosticSeverity.Hint
            assert await editor.lenses("words.py") == [f"{old.message}: improve"]
            assert "check it again" in (await editor.do("codeopt.apply", editor.uri("words.py"), "repeated"))["error"]
            assert "not saved" in (await editor.do("codeopt.check", editor.uri("words.py")))["error"]
        async with opened(project, mark=mark) as editor:  # an editor that restarts runs nothing, and knows it all
            (project / "words.py").write_text("LIMIT = 3\n\n\n" + SLOW)
            editor.open("words.py")
            (again,) = await editor.told("words.py")
            assert (again.message, again.range.start.line) == (found.message, 3)
            assert "codeopt: improve repeated by rules" in await editor.actions("words.py", 4)
            assert not any("with" in title for title in await editor.actions("words.py", 4) if "improve" in title)
            assert len(family(mark)) == 1
            (project / "words.py").write_text(SLOW)

    mark = f"mark-{tmp_path.name}-lsp"
    asyncio.run(editing())
    assert contents(project) == before


def save_run(root: Path, **instead: Any) -> None:
    run = root / ".codeopt" / "runs" / "20260101-000000-words-abcd"
    write_files(run, {"original.py": SLOW, "best.py": RIGHT})
    rounds = [{"round": 1, "changes": ["a_rule: why."], "summary": ""}]
    place = {"sandbox": "none", "python": None, "machine": machine(), "next_step": ""}
    verdict = gather_judged(JudgedJson, Verdict(Decision.FASTER, "round 1"), **place).to_json()
    result = {
        **{name: value or None for name, value in verdict.items()}, "task": "runtime", "accepted": True,
        "speedup": {"ratio": 41.2, "ci_low": None, "ci_high": None, "pairs": 9}, "file": "words.py", "best_round": 1,
        "rounds": rounds, "sha256_before": digest(SLOW), "sha256_after": digest(RIGHT),
        **{name: [] for name in ("caveats", "notes", "diagnostics", "timed_sizes")}, **instead,
    }  # fmt: skip
    (run / "result.json").write_text(json.dumps(result))


def test_a_saved_run_is_shown_where_its_text_still_stands(tmp_path: Path) -> None:
    save_run(tmp_path)
    (found,) = saved(tmp_path)
    assert (found.judged.function, found.words) == ("repeated", "a_rule: 41x faster, verified")
    keys = FindingKeys(ImproveOptions(), "rules", None)
    path = tmp_path / "words.py"
    path.write_text(SLOW)
    assert shown(found, path, SLOW, keys) == ShownFunction(found, 0, RIGHT)
    assert shown(found, path, "# a line\n" + SLOW, keys) == ShownFunction(found, 1, "# a line\n" + RIGHT)
    assert shown(found, path, SLOW.replace("+= 1", "+= 2"), keys) == ShownFunction(found, 0, old="the code")
    assert shown(found, path, RIGHT, keys) is None  # it is in place
    assert shown(found, path, "def repeated(", keys) is None


def test_runs_of_others_are_not_believed(tmp_path: Path) -> None:
    """What a repository brings along may say anything; a run of another folder's file is none of ours."""
    save_run(tmp_path / "one", file="../words.py")
    assert saved(tmp_path / "one") == []
    save_run(tmp_path / "two", sha256_after="")
    assert saved(tmp_path / "two") == []
    save_run(tmp_path / "three")
    assert saved(make_project(tmp_path / "three")) == []


def test_what_has_no_change_has_its_reason() -> None:
    verdict = Verdict(Decision.SAME, "the rules know nothing better")
    found = SlowFunction(Suggestion("words.py", "repeated", SLOW, "", "runtime", verdict, share=0.63))
    assert found.words == "63% of its tests' time; the rules know nothing better"
    assert "faster, verified" not in found.told
    assert found.judged.gain == "not faster"


@pytest.mark.parametrize(
    ("current", "improved"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb", "a\nb\nc"),
        ("", "a\n"),
        ("a\n", ""),
        ("\u2028é\U0001f600", "x"),
        ("a\r\nb\r\n", "b\r\n"),
    ],
)
def test_edits_lead_from_one_text_to_the_other(current: str, improved: str) -> None:
    """Applied as an editor does, from the end, with places in UTF-16."""
    text = current
    for edit in reversed(text_edits(current, improved)):
        lines = text.split("\n")
        start, end = (_index(lines, place) for place in (edit.range.start, edit.range.end))
        text = text[:start] + edit.new_text + text[end:]
    assert text == improved


def _index(lines: list[str], place: lsp.Position) -> int:
    before = sum(len(line) + 1 for line in lines[: place.line])
    units = lines[place.line].encode("utf-16-le")[: 2 * place.character] if place.line < len(lines) else b""
    return before + len(units.decode("utf-16-le"))
