# verdict = "AC"
# limits.seconds = 20

import time

time.sleep(0.3)
print(6)
