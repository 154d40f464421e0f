# verdict = "RE"
# signal = 11

import ctypes

print(6, flush=True)
ctypes.string_at(0)
