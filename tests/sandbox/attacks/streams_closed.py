# what = "Closes its output, floods what is left of it, and ends well."
# verdict = ["OLE"]

import os

print(sum(map(int, input().split())), flush=True)
os.close(0)
os.close(1)
while True:
    os.write(2, b"x" * 65536)
