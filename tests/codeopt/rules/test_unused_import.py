"""unused_import: only quiet modules, only names that occur nowhere."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import numpy as np\nprint(1)\n", "print(1)\n"),
        ("import math, random\nprint(math.pi)\n", "import math\nprint(math.pi)\n"),
        ("from heapq import heappush, heappop as pop\nprint(pop)\n", "from heapq import heappop as pop\nprint(pop)\n"),
        ("import random\nfrom math import *\nprint(pi)\n", "from math import *\nprint(pi)\n"),
        ("x = 1\nimport re  # why\n# second\nprint(x)\n", "x = 1\n# second\nprint(x)\n"),
        ("x = 1\n# why\nimport re\nprint(x)\n", "x = 1\n# why\nprint(x)\n"),
        ("import random; x = 1\nprint(x)\n", "x = 1\nprint(x)\n"),
        ("x = 1; import random\nprint(x)\n", "x = 1\nprint(x)\n"),
        ("import sys, \\\n    re\nprint(sys)\n", "import sys\nprint(sys)\n"),
        ("import re, \\\n    sys\nprint(sys)\n", "import sys\nprint(sys)\n"),
        ("from math import (sqrt,\n    gcd)\nprint(gcd(1, 2))\n", "from math import (gcd)\nprint(gcd(1, 2))\n"),
        (
            "from math import (\n    gcd,  # a\n    sqrt,  # b\n    pi,\n)\nprint(gcd(1, 2))\n",
            "from math import (\n    gcd,  # a\n)\nprint(gcd(1, 2))\n",
        ),
        ("import math, re, random as rnd, os\nprint(re, os)\n", "import re, os\nprint(re, os)\n"),
    ],
)
def test_removed(before: str, after: str) -> None:
    assert rewritten("unused_import", before) == after


@pytest.mark.parametrize(
    "source",
    [
        "import math\nprint(math.pi)\n",
        "import antigravity\n",
        "import readline\n",
        "from random import *\nprint(1)\n",
        "import random\nfrom somewhere import *\n",
        "import random\nfrom math import *\nprint(random.random())\n",
        "import random\n__all__ = ['random']\n",
        "try:\n    import numpy\nexcept ImportError:\n    pass\n",
        "import random\ndef f():\n    global random\n    random = 2\n",
        "import random\nrandom = 3\n",
        "def f():\n    import random\n",
        "from __future__ import annotations\n",
        "import scipy.sparse\nprint(scipy)\n",
    ],
)
def test_refused(source: str) -> None:
    assert rewritten("unused_import", source) is None
