# verdict = "WA"

import sys

print(6, file=sys.stderr)
