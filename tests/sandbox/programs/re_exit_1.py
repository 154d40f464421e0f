# verdict = "RE"
# exit = 1

import sys

print(6)
sys.exit(1)
