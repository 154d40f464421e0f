# what = "Ends at once and leaves the work and the answer to a child: that time counts too."
# verdict = ["AC", "WA"]
# answer_takes_s = 0.001

import os
import time

numbers = input()
if os.fork():
    os._exit(0)
limit = time.process_time() + 0.001
while time.process_time() < limit:
    pass
print(sum(map(int, numbers.split())), flush=True)
while True:
    pass
