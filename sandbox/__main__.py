"""python -m sandbox, in a checkout, is codeopt_sandbox."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from codeopt_sandbox.__main__ import main  # noqa: E402 # it is found by the line above

if __name__ == "__main__":
    sys.exit(main())
