# what = "Opens terminals and types into them."

import fcntl
import os
import sys

try:
    outer, inner = os.openpty()
    fcntl.ioctl(inner, 0x5412, b"x")
except OSError:
    pass
for path in ("/dev/tty", "/dev/console", "/dev/tty0"):
    try:
        os.write(os.open(path, os.O_RDWR), b"ESCAPED\n")
        print("ESCAPED", path, file=sys.stderr)
    except OSError:
        pass

print(sum(map(int, input().split())))
