"""Applies an environment to the process that imports the module under test."""

from __future__ import annotations

import os
import sys
from time import tzset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..environment import Environment

modules = sys.modules
makedirs = os.makedirs
chdir = os.chdir


class EnteredEnvironment:
    """An environment as far as it is applied: settings of a library follow once that is loaded."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.later: dict[str, Callable[[Any], None]] = {}
        if environment.log_level:
            self.later["logging"] = self.set_log_level
        if environment.decimal is not None:
            self.later["decimal"] = self.set_contexts

    def enter(self) -> None:
        """Apply it, before the module is imported."""
        here = self.environment
        os.environ.update(here.process_variables())
        if here.timezone:
            tzset()
        if here.recursion_limit:
            sys.setrecursionlimit(here.recursion_limit)
        if here.folder:
            makedirs(here.folder, exist_ok=True)
            chdir(here.folder)
        sys.argv[1:] = here.argv
        if here.thread == "other":
            __import__("threading")  # a process with several threads knows the main one

    def settle(self) -> None:
        """Apply the settings of libraries that are loaded."""
        for name in self.later:
            if name in modules:
                self.loaded(name, modules[name])

    def loaded(self, name: str, module: Any) -> None:
        """Apply the settings of a library that has just been loaded."""
        if name in self.later:
            self.later[name](module)

    def set_log_level(self, logging: Any) -> None:
        logging.root.setLevel(self.environment.log_level)

    def set_contexts(self, decimal: Any) -> None:
        """The current context, and the one that each thread begins with."""
        assert self.environment.decimal is not None
        digits, rounding = self.environment.decimal
        for context in (decimal.DefaultContext, decimal.getcontext()):
            context.prec, context.rounding = digits, rounding
