"""Workers whose end nobody waits for, so that the kernel forgets what they used."""

import os
import signal
import sys


def part(a, first):
    return sum((x ^ y) % 7 == 0 for i, x in enumerate(a) if i % 2 == first for y in a[i + 1 :])


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
a = list(map(int, sys.stdin.read().split()[1:]))
total = 0
for first in (0, 1):
    reader, writer = os.pipe()
    if not os.fork():
        os.write(writer, str(part(a, first)).encode())
        os._exit(0)
    os.close(writer)
    total += int(os.read(reader, 64))
    os.read(reader, 1)
print(total)
