"""The start of the command line, by the installed script and by `python -m codeopt`: no module of the current folder is
imported, which may be a repository that is only looked at."""

import os
import sys


def main() -> int:
    """Run one command; returns the exit status."""
    drop_relative_paths()
    from codeopt.cli.start import main as run

    return run()


def drop_relative_paths() -> None:
    """Import no longer from the relative parts of PYTHONPATH; Python has made them absolute."""
    parts = os.environ.get("PYTHONPATH", "").split(os.pathsep) if "PYTHONPATH" in os.environ else []
    relative = {os.path.abspath(part) for part in parts if not os.path.isabs(part)}  # noqa: PTH100, PTH117 - no pathlib yet
    sys.path[:] = [each for each in sys.path if each and each not in relative]


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[:1]  # the current folder, which `-m` puts first
    status = main()
    exec("")  # or Python ends itself by SIGINT where a Ctrl-C once came within an exec of text, as @dataclass makes one
    sys.exit(status)
