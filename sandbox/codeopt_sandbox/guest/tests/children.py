"""Processes that tests start, by fork or by a new Python: they use the module under test.

Their calls count for the test that started them. A new Python reads codeopt's `sitecustomize` by PYTHONPATH, unless -I,
-E or a cleared environment prevents it.
"""

from __future__ import annotations

import json
import marshal
import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER

from ..boot import ROOT
from ..calls.module_loader import SourceLoader
from ..import_hooks import leave_what_is_missing
from ..profile.process_end import ProcessEnd
from ..request import FunctionRef, TestRequest
from .call_log import CallLog
from .main_script import ScriptHook, WatchedFile, decorated, undecorated
from .recorded_module import Finder, RecordedModule
from .recorder import CallRecorder
from .trace import CallTimes, PausedClock, finder_of, recorders_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ..boot import Bundle

PREFIX = "codeopt-tests-"
HOOK = """\
import sys
sys.path[:] = [path for path in sys.path if path != {folder!r}]
def _begin():
    import marshal
    from _frozen_importlib_external import MAGIC_NUMBER
    if MAGIC_NUMBER != {magic!r}:
        return  # another Python, whose code objects are others
    with open({folder!r} + "/modules", "rb") as file:
        modules = marshal.loads(file.read())
    space = {{"__name__": "boot"}}
    exec(modules["{root}/boot.py"], space)
    space["Bundle"](modules).load("tests.children").begin({folder!r})
_begin()
del _begin
from importlib.machinery import PathFinder as _finder
_spec = _finder.find_spec("sitecustomize")
if _spec is not None and _spec.loader is not None:
    from importlib.util import module_from_spec as _make
    sys.modules["sitecustomize"] = _make(_spec)
    _spec.loader.exec_module(sys.modules["sitecustomize"])
"""


def current_test() -> str:
    """Id of the test that runs; empty between tests. Processes know it by their environment."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]


class Children:
    """The processes of one run of tests, and the folder that they find their job in and write their lines to."""

    def __init__(self, bundle: Bundle, ref: FunctionRef, request: TestRequest, source: str) -> None:
        self.ref, self.request, self.source = ref, request, source
        import tempfile  # a process that a test starts has no need of it

        self.folder = tempfile.mkdtemp(prefix=PREFIX)
        self.log = CallLog(self.folder)
        tops = [place.partition("/")[2] for place in bundle.modules if place.count("/") == 1]
        self.put("modules", bundle.pack("tests/", "calls/", "profile/", *tops))
        self.put("job", marshal.dumps((ref.fields(), request.fields(), source)))
        hook = HOOK.format(folder=self.folder, magic=MAGIC_NUMBER, root=ROOT)
        self.put("sitecustomize.py", hook.encode())
        paths = [self.folder, *filter(None, [os.environ.get("PYTHONPATH")]), *ref.paths]
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)

    def put(self, name: str, content: bytes) -> None:
        """Write a file of the folder."""
        with open(f"{self.folder}/{name}", "wb") as file:  # noqa: PTH123  pathlib would count as imported by the module
            file.write(content)

    def show_module(self) -> None:
        """Have this process and those that it forks import the module from its text, and run it so."""
        show(ProgramLoader(self.ref, self.source))

    def watch_forks(self) -> None:
        """Time the functions of forked processes, each of which writes its own lines."""
        os.register_at_fork(after_in_child=lambda: watch_times(self.request.files, self.log))

    def rows(self) -> Iterator[list[Any]]:
        """Rows that the processes have written."""
        for entry in sorted(os.scandir(self.folder), key=lambda entry: entry.name):  # noqa: PTH208
            if entry.name.endswith(".txt"):
                with open(entry.path, encoding="utf-8", errors="surrogatepass") as file:  # noqa: PTH123
                    yield from filter(None, map(_row, file))

    def close(self) -> None:
        """Remove the folder."""
        import shutil

        shutil.rmtree(self.folder, ignore_errors=True)


def _row(line: str) -> list[Any] | None:
    """Return a row of the log. None for a foreign or truncated line."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, list) and row else None


def write_row(log: CallLog, *values: Any) -> None:
    """Write a line of a kind, which is its first value."""
    log.write(json.dumps(values))


def sink_of(log: CallLog, named: str) -> Callable[[str], None]:
    """Callback that writes the calls of one function, and why others cannot be written down."""

    def keep(text: str) -> None:
        if text.startswith("# "):
            write_row(log, "lost", named, text[2:])
        elif not text.startswith(("#", "@")):
            write_row(log, "call", named, text, current_test())

    return keep


def watch_times(files: tuple[str, ...], log: CallLog) -> None:
    """Time functions in all threads of this process from here on."""

    def tell(place: tuple[str, int], total: float, own: float) -> None:
        write_row(log, "time", *place, total, own, current_test())

    times = CallTimes(files, tell)
    ProcessEnd(times.begin, times.stop).install()
    times.install()


def begin(folder: str) -> None:
    """Start in a Python that a test has started. Errors are ignored: nothing is recorded then."""
    with open(f"{folder}/job", "rb") as file:  # noqa: PTH123
        ref_fields, request_fields, source = marshal.loads(file.read())
    ref, request = FunctionRef.read(ref_fields), TestRequest.read(request_fields)
    log = CallLog(folder)
    if request.job == "rank":
        show(ProgramLoader(ref, source))
        recorders = recorders_of(request.functions, request.most, PausedClock(), lambda named: sink_of(log, named))
        sys.meta_path.insert(0, finder_of(recorders.values()))
        watch_times(request.files, log)
    elif request.most:
        recorder = CallRecorder(ref.module, ref.qualname, request.most, sink_of(log, f"{ref.module} {ref.qualname}"))
        recorded = RecordedModule([recorder])
        show(ProgramLoader(ref, source, recorded))
        sys.meta_path.insert(0, Finder([recorded]))
    else:
        show(ProgramLoader(ref, source))


def show(loader: ProgramLoader) -> None:
    """Have a process import the module under test from its text, and run it so."""
    leave_what_is_missing()
    sys.meta_path.insert(0, loader)
    watched = WatchedFile(os.path.realpath(loader.ref.file))
    text = loader.source.encode("utf-8", "surrogatepass")
    sys.path_hooks.insert(0, ScriptHook(watched, loader.names, loader.decorate, text))


class ProgramLoader(SourceLoader):
    """Gives the module under test also as a program, `python -m`."""

    def __init__(self, ref: FunctionRef, source: str, recorded: RecordedModule | None = None) -> None:
        super().__init__(ref, source)
        self.names: Sequence[str] = recorded.names if recorded else ()
        self.decorate = recorded.decorate if recorded else undecorated

    def get_code(self, name: str) -> Any:
        return decorated(self.source.encode(), self.ref.file, self.names, self.decorate, script=False)
