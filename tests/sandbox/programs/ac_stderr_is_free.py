# verdict = "AC"

import sys

print("wrong", file=sys.stderr)
print(sum(map(int, input().split())))
