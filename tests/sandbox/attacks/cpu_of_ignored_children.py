# what = "Hides CPU time in children that nobody waits for, as SIGCHLD is ignored."
# cpu_s = 0.25
# cpu_not_counted_on = ["bubblewrap"]

import os
import signal
import time


def burn(seconds):
    limit = time.process_time() + seconds
    while time.process_time() < limit:
        pass


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
reader, writer = os.pipe()
if os.fork() == 0:
    burn(0.3)
    os._exit(0)
os.close(writer)
os.read(reader, 1)

print(sum(map(int, input().split())))
