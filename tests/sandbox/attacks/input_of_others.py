# what = "Searches its own memory for an earlier run's program and input."
# secret = true

import os
import sys

FIRST, SECOND = b"CODEOPT-", b"SECRET!"  # never together in this program
buffer = bytearray(1 << 20)
memory = os.open("/proc/self/mem", os.O_RDONLY)
places = []
for line in open("/proc/self/maps"):
    bounds, mode = line.split()[:2]
    start, end = (int(part, 16) for part in bounds.split("-"))
    if not mode.startswith("r") or "[v" in line:
        continue
    for at in range(start, end, len(buffer) - 64):
        size = os.preadv(memory, [memoryview(buffer)[: end - at]], at)
        found = buffer.find(FIRST, 0, size)
        while found >= 0:
            places.append(at + found)
            found = buffer.find(FIRST, found + 1, size)
buffer[:] = bytes(len(buffer))
found = [place for place in places if os.pread(memory, 15, place)[8:] == SECOND]
if found or not places:
    print("ESCAPED", list(map(hex, found)), file=sys.stderr)

print(sum(map(int, input().split())))
