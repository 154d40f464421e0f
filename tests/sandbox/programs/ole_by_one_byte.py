# verdict = "OLE"
# stop = "output"
# limits.output_mib = 1
# stdout = 1048576

import os

data = b" " * (1 << 20) + b"6"
while data:
    data = data[os.write(1, data) :]
