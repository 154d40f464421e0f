# verdict = "RE"
# signal = 24

import os

print(6, flush=True)
os.kill(os.getpid(), 24)
