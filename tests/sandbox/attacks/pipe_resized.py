# what = "Shrinks the pipe, makes it non-blocking, and reads its own output back."

import fcntl
import os
import sys

answer = sum(map(int, input().split()))
fcntl.fcntl(1, 1031, 4096)
os.set_blocking(2, False)
for path in ("/proc/self/fd/1", "/dev/stdout"):
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(descriptor, False)
        os.read(descriptor, 100)
    except OSError:
        pass
print(answer)
