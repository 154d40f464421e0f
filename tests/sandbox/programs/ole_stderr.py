# verdict = "OLE"
# stop = "output"
# limits.output_mib = 1

import sys

print(6, flush=True)
while True:
    sys.stderr.write("6" * 65536)
