# what = "Makes a file that is in memory only, to run it."

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

import os

try:
    os.memfd_create("x")
    print("ESCAPED memfd", file=sys.stderr)
except OSError:
    pass
if libc.syscall(322 if os.uname().machine == "x86_64" else 281, -100, b"/usr/bin/true", 0, 0, 0) != -1:
    print("ESCAPED execveat", file=sys.stderr)

print(sum(map(int, input().split())))
