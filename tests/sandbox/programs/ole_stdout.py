# verdict = "OLE"
# stop = "output"
# limits.output_mib = 1
# stdout = 1048576

import sys

while True:
    sys.stdout.write("6" * 65536)
