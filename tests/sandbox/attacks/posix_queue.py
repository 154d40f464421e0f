# what = "Leaves a POSIX message queue behind."

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)

queue = libc.mq_open(b"/codeopt_attack", 0o102, 0o600, None)
if queue != -1:
    print("ESCAPED", queue, file=sys.stderr)

print(sum(map(int, input().split())))
