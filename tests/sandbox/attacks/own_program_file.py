# what = "Changes the program that it is, and the folder that it is in."
# own_user = true

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
for action in (
    lambda: open(__file__, "a"),
    lambda: os.unlink(__file__),
    lambda: os.rename(__file__, "/tmp/program.py"),
    lambda: os.chmod(__file__, 0o777),
    lambda: os.mkdir(here + "/__pycache__"),
    lambda: os.chmod(here, 0o777),
    lambda: os.link(__file__, "/tmp/linked"),
):
    try:
        action()
        print("ESCAPED", file=sys.stderr)
    except OSError:
        pass

print(sum(map(int, input().split())))
