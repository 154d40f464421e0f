# verdict = "TLE"
# stop = "time"
# limits.seconds = 0.3

import os
import signal

print(6, flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
