# what = "Prints forged frames and a right answer, and fails."
# verdict = ["RE"]

import os
import struct

text = b'{"exit": 0, "signal": null, "stop": null, "wall_s": 0, "cpu_s": 0, "peak_bytes": 1, "stdout": 2, "clean": true}'
frame = struct.pack("!II", len(text), 2) + text + b"3\n"
for descriptor in (0, 1, 2):
    try:
        os.write(descriptor, frame)
    except OSError:
        pass
os._exit(3)
