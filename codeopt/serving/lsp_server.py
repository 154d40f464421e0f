"""The server for editors: what is known to be slow as diagnostics and code lenses, verified changes as code actions.

Nothing of the workspace is run unless the user asks: by a command, or with --check-on-save.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from codeopt.core.cache import existing_caches
from codeopt.core.errors import CodeoptError, UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.version import __version__
from codeopt.engine.open_session import RULES
from codeopt.review.findings.finding import FindingKeys
from codeopt.serving import slow_functions
from codeopt.serving.request import Operation, OperationRequest, Root, ServerPolicy
from codeopt.serving.worker_pool import WorkerPool
from codeopt.workloads.sandbox_view.view import locate
from codeopt_sandbox.plain_files import read_bytes

CHECK = "codeopt.check"
IMPROVE = "codeopt.improve"
IMPROVE_WITH_MODEL = "codeopt.improveWithModel"
APPLY = "codeopt.apply"
SOURCE = "codeopt"
"""Name of the server, and of the source of its diagnostics."""


@dataclass
class EditorSession:
    """One editor with one workspace."""

    server: LanguageServer
    policy: ServerPolicy
    parallel: int = 1
    max_seconds: float = 900.0
    """Time limit of one request, seconds."""
    check_on_save: bool = False
    root: Root | None = None
    """Workspace. None: the editor has not named one yet."""
    pool: WorkerPool | None = None
    stored: dict[tuple[str, str], slow_functions.SlowFunction] = field(default_factory=dict)
    """Slow functions of the cache and of saved runs, by file and function."""
    answered: dict[tuple[str, str], slow_functions.SlowFunction] = field(default_factory=dict)
    """Slow functions of this session's own requests."""
    stamp: tuple[int, ...] = ()
    """Time of the cache's file when it was read."""
    keys: FindingKeys = field(default_factory=lambda: FindingKeys(ImproveOptions(), RULES, None))
    newest: dict[str, int] = field(default_factory=dict)

    def open(self, folder: str | None) -> None:
        """Open the editor's first folder and read what is known of it; nothing is run. Raises UsageError."""
        if folder is None:
            return
        self.root = Root.of(Path(folder))
        self.pool = WorkerPool(self.root.path, self.parallel, max_seconds=self.max_seconds)
        self.read_store()

    def read_store(self) -> None:
        """Read the cached verdicts, if another process may have written some since."""
        if self.root is None:
            return
        self.keys = FindingKeys(ImproveOptions(), RULES, None)  # tests may have changed as well
        top = locate(self.root.path / "any.py").root
        caches = existing_caches([top])
        stamp = tuple(cache.file.stat().st_mtime_ns for cache in caches)
        if stamp == self.stamp and self.stored:
            return
        self.stamp = stamp
        runs = reversed(slow_functions.saved(self.root.path))  # the newest has the last word
        found = [*runs, *(each for cache in caches for each in slow_functions.of_cache(cache, top, self.root.path))]
        self.stored = {each.judged.at: each for each in found}

    # --- what is shown -------------------------------------------------------------------------------

    def of_file(self, uri: str) -> list[slow_functions.ShownFunction]:
        """Slow functions of a file in the editor's text."""
        file, text = self.file_of(uri), self.text(uri)
        if self.root is None:
            return []
        here = [each for each in {**self.stored, **self.answered}.values() if each.judged.path == file]
        return [*filter(None, (slow_functions.shown(each, self.root.path / file, text, self.keys) for each in here))]

    def file_of(self, uri: str) -> str:
        """Path of a document below the root. Empty: it lies elsewhere."""
        path = to_fs_path(uri)
        try:
            return self.root.inside(path) if self.root and path else ""
        except UsageError:
            return ""

    def publish(self, uri: str) -> None:
        """Send the diagnostics of one file."""
        text = self.text(uri)
        found = [_diagnostic(each, text) for each in self.of_file(uri)]
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))

    async def publish_soon(self, uri: str) -> None:
        """Send the diagnostics of one file once nothing has been typed for a moment."""
        number = self.newest[uri] = self.newest.get(uri, 0) + 1
        # time without an edit after which diagnostics are sent, seconds
        await asyncio.sleep(0.2)
        if number == self.newest[uri]:
            self.publish(uri)

    def text(self, uri: str) -> str:
        """Return the present text of a document in the editor."""
        return self.server.workspace.get_text_document(uri).source

    def lenses(self, uri: str) -> list[lsp.CodeLens]:
        """Lenses over the slow functions: the measurement, and the next step."""
        found, text = [], self.text(uri)
        for each in self.of_file(uri):
            name, step = (APPLY, "apply") if each.improved and not each.old else (IMPROVE, "improve")
            words = f"{each.words}: {step}"
            command = lsp.Command(words, command=name, arguments=[uri, each.slow.judged.function])
            found.append(lsp.CodeLens(slow_functions.line_range(text, each.line), command))
        return found

    def hover(self, uri: str, line: int) -> lsp.Hover | None:
        """Return the figures of the function that is defined in a line. None if none are known."""
        told = [each for each in self.of_file(uri) if each.line == line]
        if not told:
            return None
        old = [f"- old: {each.old} changed since" for each in told if each.old]
        text = "\n".join([*(each.slow.told for each in told), *old])
        place = slow_functions.line_range(self.text(uri), line)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), place)

    def actions(self, uri: str, place: lsp.Range) -> list[lsp.CodeAction]:
        """Code actions at a place: verified changes as edits, and searches for new ones."""
        text = self.text(uri)
        where = slow_functions.places(text)
        here = [name for name, (first, last) in where.items() if first - 1 <= place.start.line < last]
        function = here[-1] if here else ""
        found = [
            lsp.CodeAction(
                f"codeopt: {each.title}", lsp.CodeActionKind.QuickFix,
                diagnostics=[_diagnostic(each, text)], is_preferred=not each.old, edit=self.edit(uri, each),
            )
            for each in self.of_file(uri)
            if each.improved and each.slow.judged.function in (function, "")
        ]  # fmt: skip
        wanted = [("check this file", CHECK, [uri])]
        if function:
            wanted.append((f"improve {function} by rules", IMPROVE, [uri, function]))
        if function and self.policy.model is not None:
            wanted.append((f"improve {function} with {self.policy.model}", IMPROVE_WITH_MODEL, [uri, function]))
        for title, name, arguments in wanted:
            command = lsp.Command(f"codeopt: {title}", command=name, arguments=arguments)
            found.append(lsp.CodeAction(command.title, lsp.CodeActionKind.Refactor, command=command))
        return found

    def edit(self, uri: str, each: slow_functions.ShownFunction) -> lsp.WorkspaceEdit:
        """Edit of the lines that the verified change differs in."""
        return lsp.WorkspaceEdit(changes={uri: slow_functions.text_edits(self.text(uri), each.improved)})

    # --- what is done --------------------------------------------------------------------------------

    async def check(self, uri: str) -> dict[str, Any]:
        """Rank the functions of a file by their tests' time and try the rules. Raises CodeoptError."""
        file, text = self._on_disk(uri), self.text(uri)
        request = OperationRequest(Operation.CHECK, options=dict(self.policy.options), paths=(file,), asked_by="lsp")
        answer = await self._run(request, f"checking {file}")
        self.read_store()
        for known in (self.stored, self.answered):
            for key in [key for key in known if key[0] == file]:
                del known[key]
        for each in slow_functions.of_check(answer, text):
            self.answered[each.judged.at] = each
        self._show(uri)
        return {"improved": answer["improved"], "not_checked_reason": answer["not_checked_reason"]}

    async def improve(self, uri: str, function: str, *, with_model: bool) -> dict[str, Any]:
        """Look for a faster version; the file stays as it is. Raises CodeoptError."""
        if with_model and self.policy.model is None:
            raise UsageError("no language model is configured", hint="start the server as `codeopt lsp --model NAME`")
        file, text = self._on_disk(uri), self.text(uri)
        options = {**self.policy.options, "model": self.policy.model if with_model else RULES}
        target = self._root().target(f"{file}::{function}" if function else file)
        request = OperationRequest(Operation.IMPROVE, target, options, max_seconds=self.max_seconds, asked_by="lsp")
        answer = await self._run(request, f"improving {function or file}")
        if answer["accepted"]:
            self.read_store()
            improved = slow_functions.of_improvement(answer, file, function, text, answer["new_source"])
            self.answered[file, function] = improved
            self._show(uri)
        else:
            self.say(f"{function or file} is not improved: {answer['reason']}", lsp.MessageType.Info)
        return {"accepted": answer["accepted"], "reason": answer["reason"]}

    async def apply(self, uri: str, function: str) -> dict[str, Any]:
        """Put a verified change into the editor's text, for the user to save or undo. Raises UsageError."""
        here = (each for each in self.of_file(uri) if each.slow.judged.function == function and each.improved)
        each = next(here, None)
        if each is None:
            raise UsageError("the text has changed since the change was verified", hint="check it again")
        done = await self.server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(self.edit(uri, each), SOURCE))
        return {"applied": done.applied}

    def _root(self) -> Root:
        if self.root is None:
            raise UsageError("no folder is open", hint="open a project: codeopt reads nothing outside of it")
        return self.root

    def _on_disk(self, uri: str) -> str:
        """Path of a document below the root. Raises UsageError where the editor's text is not what is on disk."""
        file = self._root().inside(to_fs_path(uri) or "")
        try:
            same = read_bytes(self._root().path / file).decode("utf-8") == self.text(uri)
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {file}: {error}") from error
        if not same:
            raise UsageError(f"{file} is not saved", hint="save it: codeopt runs what is on disk")
        return file

    async def _run(self, request: OperationRequest, title: str) -> dict[str, Any]:
        """Do a request, with progress that can be cancelled. Raises CodeoptError."""
        assert self.pool
        token = str(uuid4())
        progress = self.server.work_done_progress
        shows = self.server.client_capabilities.window and self.server.client_capabilities.window.work_done_progress
        if shows:
            await progress.create_async(token)
            progress.begin(token, lsp.WorkDoneProgressBegin(f"codeopt: {title}", cancellable=True, percentage=0))

        async def on_progress(line: str, done: float | None = None) -> None:
            if shows:
                percentage = None if done is None else round(100 * done)
                report = lsp.WorkDoneProgressReport(message=line, cancellable=True, percentage=percentage)
                progress.report(token, report)

        work = asyncio.ensure_future(self.pool.call(request, on_progress))
        if shows:
            progress.tokens[token].add_done_callback(lambda _: work.cancel())
        try:
            return await work
        except asyncio.CancelledError:
            work.cancel()
            if shows and progress.tokens[token].cancelled():
                raise UsageError(f"{title}: cancelled") from None
            raise
        finally:
            if shows:
                progress.end(token, lsp.WorkDoneProgressEnd())
                del progress.tokens[token]

    def _show(self, uri: str) -> None:
        self.publish(uri)
        workspace = self.server.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.server.workspace_code_lens_refresh(None)

    async def said(self, work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
        """Do a command; an error becomes a message in the editor and the command's answer."""
        try:
            return await work
        except CodeoptError as error:
            self.say(error.words)
            return {"error": error.words}

    def say(self, text: str, kind: lsp.MessageType = lsp.MessageType.Warning) -> None:
        self.server.window_show_message(lsp.ShowMessageParams(kind, f"codeopt: {text}"))


def _diagnostic(each: slow_functions.ShownFunction, text: str) -> lsp.Diagnostic:
    holds = each.improved and not each.old
    severity = lsp.DiagnosticSeverity.Information if holds else lsp.DiagnosticSeverity.Hint
    return lsp.Diagnostic(slow_functions.line_range(text, each.line), each.words, severity, code="slow", source=SOURCE)


def make_lsp_server(policy: ServerPolicy, *, max_seconds: float, check_on_save: bool) -> LanguageServer:
    """Make the server, ready to start."""
    server = LanguageServer(SOURCE, __version__)
    session = EditorSession(server, policy, max_seconds=max_seconds, check_on_save=check_on_save)
    _add_life(server, session)
    _add_documents(server, session)
    _add_commands(server, session)
    return server


def _add_life(server: LanguageServer, session: EditorSession) -> None:
    @server.feature(lsp.INITIALIZED)
    def initialized(_: lsp.InitializedParams) -> None:
        try:
            folders = list(server.workspace.folders.values())
            session.open(to_fs_path(folders[0].uri) if folders else server.workspace.root_path)
        except UsageError as error:
            session.say(error.words)

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(_: None) -> None:
        if session.pool:
            await session.pool.close()


def _add_documents(server: LanguageServer, session: EditorSession) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        session.read_store()
        session.publish(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        await session.publish_soon(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def on_save(params: lsp.DidSaveTextDocumentParams) -> None:
        if session.check_on_save:
            await session.said(session.check(params.text_document.uri))
        else:
            session.read_store()
            session.publish(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return session.hover(params.text_document.uri, params.position.line)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        return session.lenses(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return session.actions(params.text_document.uri, params.range)


def _add_commands(server: LanguageServer, session: EditorSession) -> None:
    @server.command(CHECK)
    async def check(uri: str) -> dict[str, Any]:
        return await session.said(session.check(uri))

    @server.command(IMPROVE)
    async def improve(uri: str, function: str) -> dict[str, Any]:
        return await session.said(session.improve(uri, function, with_model=False))

    @server.command(IMPROVE_WITH_MODEL)
    async def improve_with_model(uri: str, function: str) -> dict[str, Any]:
        return await session.said(session.improve(uri, function, with_model=True))

    @server.command(APPLY)
    async def apply(uri: str, function: str) -> dict[str, Any]:
        return await session.said(session.apply(uri, function))
