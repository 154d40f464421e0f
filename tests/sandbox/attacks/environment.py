# what = "Looks for more environment than a program is given."

import os
import sys

known = {"PATH", "HOME", "USER", "LANG", "PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}
known |= {"PYTHONHASHSEED", "PYTHONUSERBASE", "LC_CTYPE"}
names = {part.split(b"=")[0].decode() for part in open("/proc/self/environ", "rb").read().split(b"\0") if part}
if extra := (names | set(os.environ)) - known:
    print("ESCAPED", extra, file=sys.stderr)

print(sum(map(int, input().split())))
