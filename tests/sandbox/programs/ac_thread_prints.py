# verdict = "AC"

import threading

threading.Thread(target=print, args=(6,)).start()
