# what = "To be the last to be ended where memory is short: the score of a run, of its threads, children and parent"

import os
import subprocess
import sys
import threading

OWN = "/proc/self/oom_score_adj"
LOWER = """
import os, sys
for text in ("0", "999", "-17"):
    for path in sys.argv[1:]:
        try:
            with open(path, "w") as file:
                file.write(text)
        except OSError:
            pass
print(open("/proc/self/oom_score_adj").read().strip())
"""
others = [f"/proc/{pid}/oom_score_adj" for pid in (1, os.getppid(), "thread-self")]
before = {path: open(path).read() for path in others if os.access(path, os.R_OK)}


def lower():
    for path in (OWN, OWN[:-4], f"/proc/{os.getpid()}/task/{threading.get_native_id()}/oom_score_adj", *others):
        for text in ("0", "500", "-1000"):
            try:
                with open(path, "w") as file:
                    file.write(text)
            except OSError:
                pass


lower()
thread = threading.Thread(target=lower)
thread.start()
thread.join()
child = subprocess.run([sys.executable, "-c", LOWER, OWN, OWN[:-4]], stdout=subprocess.PIPE)
seen = [open(OWN).read().strip(), child.stdout.decode().strip()]
if seen != ["1000", "1000"] or before != {path: open(path).read() for path in before}:
    print("ESCAPED", seen)
print(sum(map(int, input().split())))
