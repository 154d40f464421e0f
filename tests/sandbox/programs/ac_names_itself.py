# verdict = "AC"
# expected = "program.py __main__"

import os

print(os.path.basename(__file__), __name__)
