"""python -m codeopt is codeopt."""

import sys

from codeopt.cli.start import main

if __name__ == "__main__":
    status = main()
    exec("")  # or Python ends itself by SIGINT where a Ctrl-C once came within an exec of text, as @dataclass makes one
    sys.exit(status)
