# verdict = "RE"
# signal = 9

import os

print(6, flush=True)
os.kill(os.getpid(), 9)
