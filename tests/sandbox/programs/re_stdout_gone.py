# verdict = "RE"
# exit = 120

import os

print(6)
os.close(1)
