# what = "Leaves timers, watches and locks behind."

import fcntl
import os
import signal

signal.signal(signal.SIGALRM, signal.SIG_IGN)
signal.setitimer(signal.ITIMER_REAL, 60, 0.001)
lock = open("/tmp/lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
for path in ("/usr/bin/env", os.__file__):
    fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)

print(sum(map(int, input().split())))
