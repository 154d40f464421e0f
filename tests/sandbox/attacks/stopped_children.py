# what = "Leaves stopped children that ignore and block every signal and hold the output."

import os
import signal
import time

for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(60)
        os._exit(0)

print(sum(map(int, input().split())))
