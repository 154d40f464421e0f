"""Is one program really faster than another? Interleaved runs, a sequential test, an interval."""

from codeopt_sandbox import Case, open_sandbox
from codeopt_sandbox.compare import compare

SLOW = "n = int(input())\nprint(sum([i * i for i in range(n)]))\n"
FAST = "n = int(input())\nprint((n - 1) * n * (2 * n - 1) // 6)\n"

with open_sandbox() as sandbox:
    found = compare(sandbox, SLOW, FAST, [Case("one", b"200000\n")])

print(found.decision, f"{found.ratio:.0f}x", f"({found.ci_low:.0f} - {found.ci_high:.0f}, {found.pairs} pairs)")
