"""Imports the module under test from SOURCE and finds the function to call. Part of the harness programs (caller.py,
tester.py)."""

import sys


class _Loader:
    """Gives the module under test from SOURCE, and leaves all others to the usual importers."""

    def find_spec(self, name, path=None, target=None):
        if name != SPEC["module"]:
            return None
        make = sys.modules["_frozen_importlib_external"].spec_from_file_location
        folders = [SPEC["file"].rpartition("/")[0]] if SPEC["file"].endswith("/__init__.py") else None
        return make(name, SPEC["file"], loader=self, submodule_search_locations=folders)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import linecache  # a decorator may compile what inspect.getsource gives: not the file's text, but this

        lines = SOURCE.splitlines(keepends=True)
        linecache.cache[SPEC["file"]] = len(SOURCE), None, lines, SPEC["file"]
        exec(compile(SOURCE, SPEC["file"], "exec", dont_inherit=True), module.__dict__)


def import_target():
    """The module under test and the function to call."""
    sys.path[:0] = SPEC["paths"]
    sys.argv[1:] = []
    sys.meta_path.insert(0, _Loader())
    __import__(SPEC["module"])
    return find_target(sys.modules[SPEC["module"]])


def find_target(module):
    """(module, what to call): functions and static methods as they are, methods with `self` as their first argument."""
    owner = module
    *classes, name = SPEC["qualname"].split(".")
    for part in classes:
        owner = getattr(owner, part)
    found = getattr(owner, name)
    if classes:
        raw = next(vars(base)[name] for base in owner.__mro__ if name in vars(base))
        if isinstance(raw, property):
            found = raw.fget
        elif type(raw).__name__ == "cached_property":
            found = raw.func
    if not callable(found):
        raise TypeError("{} is not callable".format(SPEC["qualname"]))
    return module, found
