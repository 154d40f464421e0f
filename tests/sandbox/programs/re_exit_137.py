# verdict = "RE"
# exit = 137

import sys

print(6)
sys.exit(137)
