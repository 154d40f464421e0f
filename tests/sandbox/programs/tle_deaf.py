# verdict = "TLE"
# stop = "time"
# limits.seconds = 0.3

import signal

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
while True:
    pass
