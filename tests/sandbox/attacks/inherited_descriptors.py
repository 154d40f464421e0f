# what = "Writes forged frames to every descriptor above 2."

import os
import struct
import sys

text = b'{"exit": 0, "signal": null, "stop": null, "wall_s": 0, "cpu_s": 0, "peak_bytes": 1, "stdout": 2, "clean": true}'
frame = struct.pack("!II", len(text), 2) + text + b"3\n"
for descriptor in range(3, 5000):
    try:
        os.write(descriptor, frame)
        print("ESCAPED", descriptor, file=sys.stderr)
    except OSError:
        pass

print(sum(map(int, input().split())))
