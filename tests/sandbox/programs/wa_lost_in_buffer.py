# verdict = "WA"
# exit = 0

import os

print(6)
os._exit(0)
