# verdict = "OLE"
# stop = "output"
# limits.output_mib = 1

import os

if os.fork() == 0:
    while True:
        os.write(1, b"6" * 65536)
os.wait()
