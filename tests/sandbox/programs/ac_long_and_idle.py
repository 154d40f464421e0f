# verdict = "AC"
# limits.seconds = 10

import time

time.sleep(0.3)
print(6)
