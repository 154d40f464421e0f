# what = "Sends every signal to the supervisor and the warm interpreter."
# own_user = true

import os
import signal
import sys

for pid in (1, os.getppid(), -os.getppid()):
    for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM, signal.SIGCONT, 0):
        try:
            os.kill(pid, number)
            print("ESCAPED", pid, number, file=sys.stderr)
        except OSError:
            pass

print(sum(map(int, input().split())))
