# what = "Sends standard output to standard error and back."

import os

answer = sum(map(int, input().split()))
keep = os.dup(1)
os.dup2(2, 1)
print("on stderr", flush=True)
os.dup2(keep, 1)
os.close(2)
print(answer, flush=True)
os.close(1)
os.close(keep)
