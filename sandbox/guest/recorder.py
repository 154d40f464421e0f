"""Writes down real calls of one function while a program, a test run or doctests use it.

Plain standard library, used in two places: in the sandbox, where `sandbox.calls` runs existing tests and doctests
with it, and
beside the user's own command in `codeopt record`. What is pickled here is only ever unpickled in a sandbox.

    install(spec, sink)     spec: {"module", "qualname", "most"}; sink(text) gets each new call as an expression, and
                            `# why` when one cannot be written down for a new reason
"""

import importlib.abc
import sys

MOST_TEXT = 1_000_000
"""Characters of a call."""
ROOM, FEW = 1_500_000, 12
"""Characters of all calls, after which no more are kept; a few are, however long."""


class Recorder:
    """Stands before the function, passes everything on, and keeps a bounded, varied sample."""

    def __init__(self, spec, sink):
        self.spec, self.sink = spec, sink
        self.seen = set()
        self.shapes = {}
        self.depth = self.size = 0
        self.lost = {}
        """Why calls cannot be written down -> how many."""

    def note(self, function, args, kwargs):
        """Write down a call before it is made: the function may change its arguments."""
        if self.depth > 1 or len(self.seen) >= (self.spec["most"] if self.size < ROOM else FEW):
            return
        shape = tuple(_shape(value) for value in (*args, *kwargs.values()))
        number = self.shapes[shape] = self.shapes.get(shape, 0) + 1
        if number % max(1, 1 << number.bit_length() >> 4):  # all of the first 16, then about 8 each time it doubles
            return
        text = write_call(args, kwargs)
        if text is None or len(text) >= MOST_TEXT:
            self.lose(function, args, kwargs, text)
        elif text not in self.seen:
            self.seen.add(text)
            self.size += len(text)
            self.sink(text)

    def lose(self, function, args, kwargs, text):
        """Count a call that has no text, or too long a one; to find out why takes time, and is done for the first."""
        if text is None and sum(self.lost.values()) < 20:
            why = blame(function, args, kwargs)
        else:
            why = LARGE if text is not None else next(iter(self.lost))
        if why not in self.lost:
            self.sink("# " + why)
        self.lost[why] = self.lost.get(why, 0) + 1

    def around(self, function):
        """The function with the recorder before it."""

        def recorded(*args, **kwargs):
            self.depth += 1
            try:
                self.note(function, args, kwargs)
                return function(*args, **kwargs)
            finally:
                self.depth -= 1

        try:
            recorded.__dict__.update(function.__dict__)
            for name in ("__name__", "__qualname__", "__doc__", "__module__"):
                setattr(recorded, name, getattr(function, name))
        except AttributeError:
            pass
        recorded.__wrapped__ = function
        return recorded

    def wrap(self, module):
        """Put it before the function of a module that was just imported."""
        owner = module
        *classes, name = self.spec["qualname"].split(".")
        for part in classes:
            owner = getattr(owner, part)
        raw = vars(owner).get(name)
        if raw is None:
            return
        if isinstance(raw, property):
            new = property(self.around(raw.fget), raw.fset, raw.fdel, raw.__doc__)
        elif isinstance(raw, staticmethod):
            new = staticmethod(self.around(raw.__func__))
        elif isinstance(raw, classmethod):
            new = classmethod(_without_class(self, raw.__func__))
        elif type(raw).__name__ == "cached_property":
            raw.func = self.around(raw.func)
            return
        elif callable(raw):
            new = self.around(raw)
        else:
            return
        setattr(owner, name, new)


def _without_class(recorder, function):
    """A class method's function: the class is no argument of the call."""

    def recorded(cls, *args, **kwargs):
        recorder.depth += 1
        try:
            recorder.note(function.__get__(cls), args, kwargs)
            return function(cls, *args, **kwargs)
        finally:
            recorder.depth -= 1

    return recorded


def _shape(value):
    """What makes two values alike: their type and about how large they are."""
    try:
        size = len(value).bit_length()
    except Exception:
        size = 0
    return type(value), size


def write_call(args, kwargs):
    """The call as an expression; objects that have none are pickled; None when that fails."""
    parts = [_write(value) for value in args]
    pairs = [(name, _write(value)) for name, value in kwargs.items()]
    if None in parts or any(text is None or not name.isidentifier() for name, text in pairs):
        return None
    return "f(" + ", ".join(parts + [name + "=" + text for name, text in pairs]) + ")"


def _write(value):
    try:
        text = express(value) or express_name(value)
        return text if text is not None else _pickled(value)
    except Exception:
        return None


def _pickled(value):
    import base64

    if hasattr(type(value), "__next__"):
        return None
    return "unpickle(" + repr(base64.b64encode(pickled(value)).decode()) + ")"


class Finder(importlib.abc.MetaPathFinder):
    """Wraps the function as soon as its module has been imported."""

    def __init__(self, recorder):
        self.recorder = recorder

    def find_spec(self, name, path=None, target=None):
        if name != self.recorder.spec["module"]:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                run = spec.loader.exec_module

                def exec_module(module, run=run):
                    run(module)
                    self.recorder.wrap(module)

                spec.loader.exec_module = exec_module
                return spec
        return None


def install(spec, sink):
    """Record from the module's import on; when it is imported already, from now on."""
    recorder = Recorder(spec, sink)
    sys.meta_path.insert(0, Finder(recorder))
    if spec["module"] in sys.modules:
        recorder.wrap(sys.modules[spec["module"]])
    return recorder
