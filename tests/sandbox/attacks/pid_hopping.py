# what = "A daemon that is a new process every moment: each forks the next one and ends."
# verdict = ["AC", "RE"]

import os
import time

if os.fork() == 0:
    limit = time.monotonic() + 30
    while time.monotonic() < limit:
        try:
            if os.fork():
                os._exit(0)
        except OSError:
            pass
        os.setsid()

print(sum(map(int, input().split())))
