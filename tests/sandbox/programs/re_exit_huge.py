# verdict = "RE"
# exit = 255

import sys

print(6)
sys.exit(1 << 70)
