# verdict = "AC"
# limits.seconds = 20

import threading
import time

threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print(6)
