# verdict = "RE"
# exit = 1
# detail = "no solution"

import sys

print(6)
sys.exit("no solution")
