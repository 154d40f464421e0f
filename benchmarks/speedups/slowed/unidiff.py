"""unidiff: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "unidiff",
    kind="recounted for each line",
    tests="tests",
    script="""\
import unidiff

hunk = "@@ -{0},30 +{0},31 @@\\n" + " a{0}\\n" * 28 + "-b\\n+c {0}\\n+d\\n e\\n"
text = "".join(
    f"--- a/f{n}.py\\n+++ b/f{n}.py\\n" + "".join(hunk.format(50 * k + 1) for k in range(20)) for n in range(25)
)
patch = unidiff.PatchSet(text)
print(patch.added, patch.removed, len(patch), sum(len(line.value) for f in patch for h in f for line in h))
""",
    file="unidiff/patch.py",
    qualname="PatchedFile._parse_hunk",
    slow=(
        (
            "            if (source_line_no == expected_source_end and\n"
            "                    target_line_no == expected_target_end):\n                break\n",
            "            if hunk.is_valid() if not metadata_only else (\n"
            "                    source_line_no == expected_source_end and\n"
            "                    target_line_no == expected_target_end):\n                break\n",
        ),
    ),
    wrong=(
        (
            "            if (source_line_no == expected_source_end and\n"
            "                    target_line_no == expected_target_end):\n                break\n",
            "            if target_line_no == expected_target_end:\n                break\n",
        ),
    ),
)
