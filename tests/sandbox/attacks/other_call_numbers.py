# what = "Makes the denied calls by their x32 numbers."
# machine = "x86_64"

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

for number in (101, 250, 272, 298, 310, 321, 323, 425, 521, 539, 540):
    if libc.syscall(0x40000000 + number, 0, 0, 0, 0, 0, 0) != -1:
        print("ESCAPED", number, file=sys.stderr)

print(sum(map(int, input().split())))
