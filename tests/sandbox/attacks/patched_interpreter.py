# what = "Patches everything within reach, the warm interpreter's frames too, and looks for it."
# twice = true

import atexit
import builtins
import gc
import os
import sys

MARK = "codeopt_attack_mark"
places = [vars(sys), vars(os), vars(builtins), os.environ, sys.modules]
frame = sys._getframe()
while frame:
    places.append(frame.f_globals)
    frame = frame.f_back
places += [thing for thing in gc.get_objects() if type(thing) is dict and thing.get("__name__")]
if any(MARK in place for place in places):
    print("ESCAPED the mark of an earlier run", file=sys.stderr)
for place in places:
    try:
        place[MARK] = "here"
    except (TypeError, KeyError):
        pass
    for name in ("serve", "become", "leave", "failed", "mark_start", "new_stdio", "set_scene", "exit_status"):
        if callable(place.get(name)):
            place[name] = lambda *_: print("ESCAPED patched", name, file=sys.stderr)
sys.path.insert(0, "/tmp")
sys.setrecursionlimit(50_000)
sys.setswitchinterval(100)
gc.disable()
atexit.register(lambda: None)
print(sum(map(int, input().split())), flush=True)
os._exit(0)
