"""Fresh arguments from the text of a call. Part of the harness program (caller.py)."""

import sys
from io import BytesIO


class Raised:
    """A call that ended in an exception."""

    def __init__(self, error):
        self.error = error


class Names(dict):
    """What the expression of a call may use; modules are imported when they are needed."""

    def __init__(self, calls_file):
        super().__init__(
            inf=float("inf"),
            nan=float("nan"),
            Ellipsis=Ellipsis,
            load=load,
            unpickle=unpickle,
            f=lambda *a, **k: (a, k),
        )
        self.update(replaced=replaced, used=used, do=Steps())
        self.calls_file = calls_file
        self.user = None

    def __missing__(self, name):
        homes = {"Decimal": "decimal", "Fraction": "fractions", "deque": "collections"}
        if name in homes:
            return load(homes[name], name)
        if name in ("datetime",):
            return __import__(name)
        if name in ("CALLS", "BIG"):
            return Calls(self, name)
        raise KeyError(name)

    def user_namespace(self, fresh=False):
        """The calls file, run."""
        if self.user is None or fresh:
            self.user = {"__name__": "codeopt_calls", "__file__": "calls.py"}
            exec(compile(self.calls_file, "calls.py", "exec", dont_inherit=True), self.user)
        return self.user


class Calls:
    """`CALLS[i]`: a fresh copy of that call of the calls file; the file is run again where a copy cannot be made."""

    def __init__(self, names, name):
        self.names, self.name = names, name

    def __getitem__(self, at):
        import copy

        call = as_call(self.names.user_namespace()[self.name][at])
        try:
            return copy.deepcopy(call)
        except (TypeError, ValueError, copy.Error):
            return as_call(self.names.user_namespace(fresh=True)[self.name][at])


def as_call(entry):
    """(args, kwargs) of an entry of CALLS, which may leave out what is empty."""
    if type(entry) is tuple and len(entry) == 2 and type(entry[0]) in (tuple, list) and type(entry[1]) is dict:
        return tuple(entry[0]), entry[1]
    if type(entry) in (tuple, list):
        return tuple(entry), {}
    raise TypeError(f"an entry of CALLS must be (args, kwargs), not {type(entry).__name__}")


def replaced(call, new):
    """A call with some positional arguments replaced."""
    args = list(call[0])
    for at, value in new.items():
        args[at] = value
    return tuple(args), call[1]


class Steps:
    """`do.add(1)`: a method's name and what it is called with; `do.__setattr__('level', 1)` is one too."""

    def __getattribute__(self, name):
        return lambda *args, **kwargs: (name, args, kwargs)


def used(value, *steps):
    """An object after some of its methods were called; what they return or raise does not matter."""
    for name, args, kwargs in steps:
        try:
            getattr(value, name)(*args, **kwargs)
        except Exception:
            continue
    return value


def load(module, name):
    """An object by its name; the module under test may have had another one when the call was written down."""
    module = SPEC["module"] if module in SPEC["aliases"] else module
    __import__(module)
    found = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    return found


def unpickle(text):
    """An object that a recording pickled in a sandbox."""
    import base64
    import pickle

    class Reader(pickle.Unpickler):
        def find_class(self, module, name):
            return super().find_class(SPEC["module"] if module in SPEC["aliases"] else module, name)

    return Reader(BytesIO(base64.b64decode(text))).load()
