# verdict = "RE"
# signal = 6

import os

print(6, flush=True)
os.abort()
