# what = "Daemons whose names look like the end of a line in /proc, under a reaper of their own."

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

import os
import time

libc.prctl(36, 1, 0, 0, 0)
for name in (b") Z 1 1 1 (", b"a\nb", b"\xff) X", b"python"):
    if os.fork() == 0:
        libc.prctl(15, name, 0, 0, 0)
        libc.prctl(4, 0, 0, 0, 0)
        os.setsid()
        time.sleep(60)
        os._exit(0)
time.sleep(0.1)

print(sum(map(int, input().split())))
