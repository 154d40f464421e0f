# what = "Makes a child that is its parent's child, so that nobody waits for it."

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

import os

if libc.syscall(56 if os.uname().machine == "x86_64" else 220, 0x8000 | 17, 0, 0, 0, 0) != -1:
    print("ESCAPED", file=sys.stderr)

print(sum(map(int, input().split())))
