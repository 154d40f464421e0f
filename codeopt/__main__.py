"""python -m codeopt is codeopt."""

import sys

from codeopt.cli import main

if __name__ == "__main__":
    sys.exit(main())
