"""The server for editors: what is known to be slow as diagnostics and code lenses, verified changes as code actions.

Nothing of the workspace is run unless the user asks: by a command, or with --check-on-save.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
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
from codeopt.serving.request import Errand, ErrandRequest, Permissions
from codeopt.serving.root import Root
from codeopt.serving.slow_functions import SlowFunction, of_check, of_improvement, places, saved
from codeopt.serving.worker_pool import Caller

CHECK, IMPROVE, IMPROVE_WITH_MODEL, APPLY = (
    "codeopt.check", "codeopt.improve", "codeopt.improveWithModel", "codeopt.apply",
)  # fmt: skip
SOURCE = "codeopt"
Tell = Callable[[str], Awaitable[None]]


@dataclass
class EditorSession:
    """One editor, one workspace."""

    server: LanguageServer
    permissions: Permissions
    parallel: int = 1
    seconds: float = 900.0
    check_on_save: bool = False
    root: Root | None = None
    """None before the editor has named one."""
    caller: Caller | None = None
    known: dict[tuple[str, str], SlowFunction] = field(default_factory=dict)
    """By file and function."""

    def open(self, folder: str | None) -> None:
        """Of the editor's first folder; what runs left there is shown. Nothing is run."""
        if folder is None:
            return
        self.root = Root.of(Path(folder))
        self.caller = Caller(self.root.path, self.parallel, seconds=self.seconds)
        for each in reversed(saved(self.root.path)):  # the newest has the last word
            self.known[each.file, each.function] = each

    # --- what is shown -------------------------------------------------------------------------------

    def of_file(self, uri: str) -> list[tuple[SlowFunction, lsp.Range]]:
        """What is known of a file, and where that is in its text as it stands in the editor."""
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
        """Below the root; empty for what is not."""
        path = to_fs_path(uri)
        try:
            return self.root.inside(path) if self.root and path else ""
        except UsageError:
            return ""

    def publish(self, uri: str) -> None:
        """The diagnostics of one file."""
        found = [self._diagnostic(each, place) for each, place in self.of_file(uri) if each.fits(self.text(uri)) or
                 not each.new_source]  # fmt: skip
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))

    def text(self, uri: str) -> str:
        """The file as it stands in the editor."""
        return self.server.workspace.get_text_document(uri).source

    def _diagnostic(self, each: SlowFunction, place: lsp.Range) -> lsp.Diagnostic:
        severity = lsp.DiagnosticSeverity.Information if each.new_source else lsp.DiagnosticSeverity.Hint
        return lsp.Diagnostic(place, each.words, severity, code="slow", source=SOURCE)

    def lenses(self, uri: str) -> list[lsp.CodeLens]:
        """Over each function of which something is known: what, and the next step."""
        found = []
        for each, place in self.of_file(uri):
            fits = each.fits(self.text(uri))
            if fits or not each.new_source:
                name = APPLY if fits else IMPROVE
                words = f"{each.words}: apply" if fits else f"{each.words}: improve"
                found.append(lsp.CodeLens(place, lsp.Command(words, command=name, arguments=[uri, each.function])))
        return found

    def actions(self, uri: str, place: lsp.Range) -> list[lsp.CodeAction]:
        """Verified changes as edits; for the function at the cursor, to look for one."""
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
        """The whole file with the change: it was verified as a whole."""
        lines = self.server.workspace.get_text_document(uri).lines
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(len(lines) + 1, 0))
        return lsp.WorkspaceEdit(changes={uri: [lsp.TextEdit(whole, each.new_source)]})

    # --- what is done --------------------------------------------------------------------------------

    async def check(self, uri: str) -> dict[str, Any]:
        """Look what of a file is slow under its tests."""
        file = self._on_disk(uri)
        request = ErrandRequest(Errand.CHECK, options=dict(self.permissions.options), paths=(file,))
        answer = await self._run(request, f"checking {file}")
        self.known = {key: each for key, each in self.known.items() if key[0] != file}
        for each in of_check(answer):
            self.known[each.file, each.function] = each
        self._show(uri)
        return {"gains": answer["gains"], "blind": answer["blind"]}

    async def improve(self, uri: str, function: str, *, with_model: bool) -> dict[str, Any]:
        """Look for a faster version; the file stays as it is."""
        if with_model and self.permissions.model is None:
            raise UsageError("no language model: start the server as `codeopt lsp --model NAME`")
        file = self._on_disk(uri)
        options = {**self.permissions.options, "model": self.permissions.model if with_model else RULES}
        target = self._root().target(f"{file}::{function}" if function else file)
        answer = await self._run(ErrandRequest(Errand.IMPROVE, target, options, max_seconds=self.seconds),
                                 f"improving {function or file}")  # fmt: skip
        if answer["accepted"]:
            self.known[file, function] = of_improvement(answer, file, function)
            self._show(uri)
        else:
            self.say(f"{function or file} is not improved: {answer['reason']}", lsp.MessageType.Info)
        return {"accepted": answer["accepted"], "reason": answer["reason"]}

    async def apply(self, uri: str, function: str) -> dict[str, Any]:
        """Put a verified change into the editor's text; the user saves it, or takes it back."""
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
        """The file, below the root, as it is in the editor. Raises UsageError."""
        file = self._root().inside(to_fs_path(uri) or "")
        try:
            same = (self._root().path / file).read_bytes().decode("utf-8") == self.text(uri)
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {file}: {error}") from error
        if not same:
            raise UsageError(f"{file} is not saved: what is run is what is on disk")
        return file

    async def _run(self, request: ErrandRequest, title: str) -> dict[str, Any]:
        """Have it done, with progress that can be cancelled. Raises CodeoptError."""
        assert self.caller
        token = str(uuid4())
        progress = self.server.work_done_progress
        shows = self.server.client_capabilities.window and self.server.client_capabilities.window.work_done_progress
        if shows:
            await progress.create_async(token)
            progress.begin(token, lsp.WorkDoneProgressBegin(f"codeopt: {title}", cancellable=True))

        async def tell(line: str) -> None:
            if shows:
                progress.report(token, lsp.WorkDoneProgressReport(message=line, cancellable=True))

        work = asyncio.ensure_future(self.caller.call(request, tell))
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
        """What goes wrong is a message in the editor, and the answer of the command."""
        try:
            return await work
        except CodeoptError as error:
            self.say(str(error))
            return {"error": str(error)}

    def say(self, text: str, kind: lsp.MessageType = lsp.MessageType.Warning) -> None:
        """A message in the editor."""
        self.server.window_show_message(lsp.ShowMessageParams(kind, f"codeopt: {text}"))


def make_lsp_server(permissions: Permissions, *, seconds: float, check_on_save: bool) -> LanguageServer:
    """The server, ready to start."""
    server = LanguageServer(SOURCE, __version__)
    session = EditorSession(server, permissions, seconds=seconds, check_on_save=check_on_save)
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
        if session.caller:
            await session.caller.close()


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
