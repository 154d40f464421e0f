# verdict = "AC"

import sys

sys.stdout.write(f"\n  {sum(map(int, input().split()))}\r\n\n")
