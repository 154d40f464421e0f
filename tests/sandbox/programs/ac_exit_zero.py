# verdict = "AC"
# exit = 0

import sys

print(sum(map(int, input().split())))
sys.exit(0)
