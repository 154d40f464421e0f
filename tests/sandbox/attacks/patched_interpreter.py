# what = "Patches everything within reach, the warm interpreter's frames too, and looks for it."
# twice = true

import atexit
import builtins
import gc
import os
import sys

MARK = "codeopt_attack_mark"
OURS = ("serve", "leave", "failed", "mark_start", "set_scene", "drop_privileges", "drop_bounds", "new_streams", "kinds")
OURS += ("prepare_streams", "exit_status", "flush", "read_program", "run_tool", "read_tools", "open_tool")
places = [vars(sys), vars(os), vars(builtins), os.environ, sys.modules]
frame = sys._getframe()
while frame:
    places.append(frame.f_globals)
    frame = frame.f_back
places += [thing for thing in gc.get_objects() if type(thing) is dict and thing.get("__name__")]
for place in places:  # and the modules of whatever functions and methods are found there, and so on
    for thing in list(place.values()):
        for part in (thing, *vars(type(thing)).values()):
            found = getattr(part, "__globals__", None)
            if type(found) is dict and not any(found is known for known in places):
                places.append(found)
if any(MARK in place for place in places):
    print("ESCAPED the mark of an earlier run", file=sys.stderr)
for place in places:
    try:
        place[MARK] = "here"
    except (TypeError, KeyError):
        pass
    for name in OURS:
        if callable(place.get(name)):
            place[name] = lambda *_: print("ESCAPED patched", name, file=sys.stderr)
sys.path.insert(0, "/tmp")
sys.setrecursionlimit(50_000)
sys.setswitchinterval(100)
gc.disable()
atexit.register(lambda: None)
print(sum(map(int, input().split())), flush=True)
os._exit(0)
