# what = "A child that outlives the run stops, limits and slows the warm interpreter for the next one."

import os
import resource
import signal

parent = os.getpid()
interpreter = os.getppid()
print(sum(map(int, input().split())), flush=True)
for attempt in (
    lambda: resource.prlimit(interpreter, resource.RLIMIT_CPU, (1, 1)),
    lambda: os.setpriority(os.PRIO_PROCESS, interpreter, 19),
    lambda: os.kill(1, signal.SIGINT),
):
    try:
        attempt()
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
    while os.path.exists(f"/proc/{parent}"):
        pass
    try:
        os.kill(interpreter, signal.SIGSTOP)
    except OSError:
        pass
    while True:
        pass
