"""The entry point of the command line: the list of commands without loading one, all else by `codeopt.cli.main`."""

from __future__ import annotations

import contextlib
import sys
import time

from codeopt.cli.parser import list_of_commands, no_others

LIST: tuple[list[str], ...] = ([], ["-h"], ["--help"])
"""Words that ask for the list of commands."""


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    began = time.monotonic()  # its time limit counts what loading it takes
    asked = sys.argv[1:] if argv is None else argv
    if asked in LIST and sys.stdout is not None and no_others():
        with contextlib.suppress(OSError):  # the other way also meets this error, and reports it
            print(list_of_commands(), end="", flush=True)
            return 0
    from codeopt.cli.main import main as run  # what loads the commands takes ten times as long as the list

    return run(argv, began)


if __name__ == "__main__":
    sys.exit(main())
