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

from codeopt.core.errors import CodeoptError, UsageError
from codeopt.core.version import __version__
from codeopt.engine.open_model import RULES
from codeopt.serving.request import Operation, OperationRequest, ServerPolicy
from codeopt.serving.root import Root
from codeopt.serving.slow_functions import SlowFunction, of_check, of_improvement, places, saved
from codeopt.serving.worker_pool import WorkerPool

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
    """Requests that run at a time."""
    max_seconds: float = 900.0
    """Time limit of one request, seconds."""
    check_on_save: bool = False
    root: Root | None = None
    """Workspace; None: the editor has not named one yet."""
    pool: WorkerPool | None = None
    known: dict[tuple[str, str], SlowFunction] = field(default_factory=dict)
    """Slow functions by file and function."""

    def open(self, folder: str | None) -> None:
        """Open the editor's first folder and read its saved runs; nothing is run. Raises UsageError."""
        if folder is None:
            return
        self.root = Root.of(Path(folder))
        self.pool = WorkerPool(self.root.path, self.parallel, max_seconds=self.max_seconds)
        for each in reversed(saved(self.root.path)):  # the newest has the last word
            self.known[each.file, each.function] = each

    # --- what is shown -------------------------------------------------------------------------------

    def of_file(self, uri: str) -> list[tuple[SlowFunction, lsp.Range]]:
        """Slow functions of a file with their places in the editor's text."""
        document = self.server.workspace.get_text_document(uri)
        where, lines = places(document.source), document.lines
        found = []
        for each in self.known.values():
            if each.file == self.file_of(uri) and (not each.function or each.function in where):
                line = where[each.function][0] - 1 if each.function else 0
                end = len(lines[line].rstrip("\r\n")) if line < len(lines) else 0
                found.append((each, lsp.Range(lsp.Position(line, 0), lsp.Position(line, end))))
        return found

    def file_of(self, uri: str) -> str:
        """Path of a document below the root; empty: it lies elsewhere."""
        path = to_fs_path(uri)
        try:
            return self.root.inside(path) if self.root and path else ""
        except UsageError:
            return ""

    def publish(self, uri: str) -> None:
        """Send the diagnostics of one file."""
        found = [self._diagnostic(each, place) for each, place in self.of_file(uri) if each.fits(self.text(uri)) or
                 not each.new_source]  # fmt: skip
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))

    def text(self, uri: str) -> str:
        """Text of a document as it stands in the editor."""
        return self.server.workspace.get_text_document(uri).source

    def _diagnostic(self, each: SlowFunction, place: lsp.Range) -> lsp.Diagnostic:
        severity = lsp.DiagnosticSeverity.Information if each.new_source else lsp.DiagnosticSeverity.Hint
        return lsp.Diagnostic(place, each.words, severity, code="slow", source=SOURCE)

    def lenses(self, uri: str) -> list[lsp.CodeLens]:
        """Lenses over the slow functions: the measurement, and the next step."""
        found = []
        for each, place in self.of_file(uri):
            fits = each.fits(self.text(uri))
            if fits or not each.new_source:
                name = APPLY if fits else IMPROVE
                words = f"{each.words}: apply" if fits else f"{each.words}: improve"
                found.append(lsp.CodeLens(place, lsp.Command(words, command=name, arguments=[uri, each.function])))
        return found

    def actions(self, uri: str, place: lsp.Range) -> list[lsp.CodeAction]:
        """Code actions at a place: verified changes as edits, and searches for new ones."""
        text, found = self.text(uri), []
        where = places(text)
        here = [name for name, (first, last) in where.items() if first - 1 <= place.start.line < last]
        function = here[-1] if here else ""
        for each, range_ in self.of_file(uri):
            if each.fits(text) and each.function in (function, ""):
                found.append(lsp.CodeAction(
                    f"codeopt: apply {each.words}", lsp.CodeActionKind.QuickFix,
                    diagnostics=[self._diagnostic(each, range_)], is_preferred=True, edit=self.edit(uri, each),
                ))  # fmt: skip
        wanted = [("check this file", CHECK, [uri])]
        if function:
            wanted += [(f"improve {function} by rules", IMPROVE, [uri, function]),
                       (f"improve {function} with a model", IMPROVE_WITH_MODEL, [uri, function])]  # fmt: skip
        for title, name, arguments in wanted:
            command = lsp.Command(f"codeopt: {title}", command=name, arguments=arguments)
            found.append(lsp.CodeAction(command.title, lsp.CodeActionKind.Refactor, command=command))
        return found

    def edit(self, uri: str, each: SlowFunction) -> lsp.WorkspaceEdit:
        """Edit that replaces the whole file, since the change was verified as a whole."""
        lines = self.server.workspace.get_text_document(uri).lines
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(len(lines) + 1, 0))
        return lsp.WorkspaceEdit(changes={uri: [lsp.TextEdit(whole, each.new_source)]})

    # --- what is done --------------------------------------------------------------------------------

    async def check(self, uri: str) -> dict[str, Any]:
        """Rank the functions of a file by their tests' time and try the rules. Raises CodeoptError."""
        file = self._on_disk(uri)
        request = OperationRequest(Operation.CHECK, options=dict(self.policy.options), paths=(file,))
        answer = await self._run(request, f"checking {file}")
        self.known = {key: each for key, each in self.known.items() if key[0] != file}
        for each in of_check(answer):
            self.known[each.file, each.function] = each
        self._show(uri)
        return {"gains": answer["gains"], "blind": answer["blind"]}

    async def improve(self, uri: str, function: str, *, with_model: bool) -> dict[str, Any]:
        """Look for a faster version; the file stays as it is. Raises CodeoptError."""
        if with_model and self.policy.model is None:
            raise UsageError("no language model: start the server as `codeopt lsp --model NAME`")
        file = self._on_disk(uri)
        options = {**self.policy.options, "model": self.policy.model if with_model else RULES}
        target = self._root().target(f"{file}::{function}" if function else file)
        answer = await self._run(OperationRequest(Operation.IMPROVE, target, options, max_seconds=self.max_seconds),
                                 f"improving {function or file}")  # fmt: skip
        if answer["accepted"]:
            self.known[file, function] = of_improvement(answer, file, function)
            self._show(uri)
        else:
            self.say(f"{function or file} is not improved: {answer['reason']}", lsp.MessageType.Info)
        return {"accepted": answer["accepted"], "reason": answer["reason"]}

    async def apply(self, uri: str, function: str) -> dict[str, Any]:
        """Put a verified change into the editor's text, for the user to save or undo. Raises UsageError."""
        each = self.known.get((self.file_of(uri), function))
        if each is None or not each.fits(self.text(uri)):
            raise UsageError("the text is another than the one that the change was verified with: check again")
        done = await self.server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(self.edit(uri, each), SOURCE))
        return {"applied": done.applied}

    def _root(self) -> Root:
        if self.root is None:
            raise UsageError("open a folder first: codeopt works on a project, and reads nothing outside of it")
        return self.root

    def _on_disk(self, uri: str) -> str:
        """Path of a document below the root. Raises UsageError where the editor's text is not what is on disk."""
        file = self._root().inside(to_fs_path(uri) or "")
        try:
            same = (self._root().path / file).read_bytes().decode("utf-8") == self.text(uri)
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {file}: {error}") from error
        if not same:
            raise UsageError(f"{file} is not saved: what is run is what is on disk")
        return file

    async def _run(self, request: OperationRequest, title: str) -> dict[str, Any]:
        """Do a request, with progress that can be cancelled. Raises CodeoptError."""
        assert self.pool
        token = str(uuid4())
        progress = self.server.work_done_progress
        shows = self.server.client_capabilities.window and self.server.client_capabilities.window.work_done_progress
        if shows:
            await progress.create_async(token)
            progress.begin(token, lsp.WorkDoneProgressBegin(f"codeopt: {title}", cancellable=True))

        async def on_progress(line: str) -> None:
            if shows:
                progress.report(token, lsp.WorkDoneProgressReport(message=line, cancellable=True))

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
            self.say(str(error))
            return {"error": str(error)}

    def say(self, text: str, kind: lsp.MessageType = lsp.MessageType.Warning) -> None:
        """Show a message in the editor."""
        self.server.window_show_message(lsp.ShowMessageParams(kind, f"codeopt: {text}"))


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
            session.say(str(error))

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(_: None) -> None:
        if session.pool:
            await session.pool.close()


def _add_documents(server: LanguageServer, session: EditorSession) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        session.publish(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        session.publish(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def on_save(params: lsp.DidSaveTextDocumentParams) -> None:
        if session.check_on_save:
            await session.said(session.check(params.text_document.uri))

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
