# verdict = "AC"

import atexit

atexit.register(print, 6)
