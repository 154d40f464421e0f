"""Each setting of the process that a module can leave changed is named, with what it was and what it is."""

from __future__ import annotations

from codeopt_sandbox.guest.calls.process_state import LeftSetting, ProcessChanges, pandas_options
from tests.sandbox.guest.alone import played

PROGRAM = """
import asyncio, atexit, contextvars, copy, copyreg, csv, decimal, faulthandler, gc, io, json, locale, logging
import mimetypes, multiprocessing, os, random, resource, signal, socket, sys, threading, time, tracemalloc, types
import urllib.request, warnings, weakref

os.environ.clear()
os.environ.update(HOME="/usr", TZ="UTC")
os.chdir("/usr")
os.umask(0o22)
time.tzset()
locale.setlocale(locale.LC_ALL, "C.UTF-8")
resource.setrlimit(resource.RLIMIT_CPU, (100, 100))
gc.set_threshold(700, 10, 10)
warnings.resetwarnings()
sys.argv[:], sys.path[:0], sys.meta_path[:0] = ["a.py"], ["/first"], [len]
del sys.meta_path[0], sys.modules["random"]
atexit._clear()
module, ref = _bundle.load("calls.process_state"), _bundle.load("request").FunctionRef("mod", "/nowhere/mod.py", "f")


def play(when, does, *options):
    leaving = module.Leaving(None)
    space = {**globals(), "__name__": "mod", "leaving": leaving}
    leaving.start_import()
    if when == "import":
        exec(does, space)
        leaving.end_import()
    leaving.find_patched()
    leaving.look()
    if when == "calls":
        exec(does, space)
    found = leaving.left(ref, leaving.end_calls(*options))
    assert {each.when for each in found.settings} <= {when}
    return [f"{each.name}: {each.before} -> {each.after}" for each in found.settings] + [*found.libraries]
"""
ROWS: list[tuple[str, ...]] = [
    ("sys.setrecursionlimit(4321)", "the recursion limit: 1000 -> 4321"),
    ("sys.setswitchinterval(0.25)", "the switch interval: 0.005 -> 0.25"),
    ("gc.disable()", "gc.isenabled(): True -> False"),
    ("gc.set_threshold(9, 8, 7)", "gc.get_threshold(): (700, 10, 10) -> (9, 8, 7)"),
    ("gc.set_debug(gc.DEBUG_SAVEALL)", "gc.get_debug(): 0 -> 32"),
    ("gc.callbacks.append(print)", "gc.callbacks: [] -> ['builtins.print']"),
    ("gc.freeze()", "gc.freeze(): not called -> called"),
    ("sys.argv.append('-v')", "sys.argv: ['a.py'] -> ['a.py', '-v']"),
    ("sys.dont_write_bytecode = True", "sys.dont_write_bytecode: False -> True"),
    ("sys.setdlopenflags(258)", "sys.getdlopenflags(): 2 -> 258"),
    ("sys.set_coroutine_origin_tracking_depth(3)", "sys.get_coroutine_origin_tracking_depth(): 0 -> 3"),
    ("sys.tracebacklimit = 5", "sys.tracebacklimit: None -> 5"),
    ("locale.setlocale(locale.LC_ALL, 'C')", "the locale: 'C.UTF-8' -> 'C'"),
    ("threading.Thread(target=threading.Event().wait, daemon=True).start()", "threads: 0 -> 1"),
    ("threading.stack_size(65536)", "the stack size of threads: 0 -> 65536"),
    ("sys.set_int_max_str_digits(5000)", "the digits of an int as a text: 4300 -> 5000"),
    ("signal.signal(10, signal.SIG_IGN)", "the handler of signal 10: 0 -> 1"),
    ("signal.signal(64, print)", "the handler of signal 64: 0 -> builtins.print"),
    ("signal.setitimer(signal.ITIMER_VIRTUAL, 99)", "ITIMER_VIRTUAL: not set -> set"),
    ("signal.pthread_sigmask(signal.SIG_BLOCK, [12, 10])", "blocked signals: [] -> [10, 12]"),
    ("sys.stdin = io.StringIO()", "sys.stdin: _io.TextIOWrapper -> _io.StringIO"),
    ("sys.stdout = io.StringIO()", "sys.stdout: _io.TextIOWrapper -> _io.StringIO"),
    ("sys.settrace(lambda *a: None)", "sys.settrace: None -> mod.<lambda>"),
    ("sys.setprofile(lambda *a: None)", "sys.setprofile: None -> mod.<lambda>"),
    ("sys.set_asyncgen_hooks(finalizer=len)", "sys.set_asyncgen_hooks 1: None -> builtins.len"),
    ("sys.excepthook = print", "sys.excepthook: sys.excepthook -> builtins.print",
     "sys.excepthook: its own -> another"),
    ("sys.breakpointhook = None", "sys.breakpointhook: sys.breakpointhook -> None",
     "sys.breakpointhook: its own -> another"),
    ("sys.path.append('/new')", "'/new' in sys.path:  -> there"),
    ("sys.path.insert(0, '/new')", "the first of sys.path: ['/first'] -> ['/new']", "'/new' in sys.path:  -> there"),
    ("sys.meta_path[:] = [len]",
     "sys.meta_path: ['_frozen_importlib.BuiltinImporter', '_frozen_importlib.FrozenImporter', "
     "'_frozen_importlib_external.PathFinder'] -> ['builtins.len']",
     "the first of sys.meta_path: _frozen_importlib.BuiltinImporter -> builtins.len"),
    ("del sys.path_hooks[1:]", "sys.path_hooks: ['zipimport.zipimporter', '_frozen_importlib_external.FileFinder."
     "path_hook.<locals>.path_hook_for_FileFinder'] -> ['zipimport.zipimporter']"),
    ("warnings.simplefilter('ignore')",
     "the first of the warnings filters:  -> ignore builtins.Warning None None 0",
     "the warnings filter 'ignore builtins.Warning None None 0':  -> there"),
    ("warnings.filterwarnings('error', 'a+', UserWarning, 'm', 5)",
     "the first of the warnings filters:  -> error builtins.UserWarning a+ m 5",
     "the warnings filter 'error builtins.UserWarning a+ m 5':  -> there"),
    ("os.chdir('/')", "the working folder: '/usr' -> '/'"),
    ("os.umask(0o7)", "the umask: '0022' -> '0007'"),
    ("os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))", "the scheduling policy: 0 -> 3"),
    ("os.posix_spawn('/bin/true', ['true'], {})", "child processes: 0 -> 1"),
    ("resource.setrlimit(resource.RLIMIT_CPU, (98, 99))", "resource.RLIMIT_CPU: (100, 100) -> (98, 99)"),
    ("os.environ = copy.copy(os.environ)", "os.environ: os._Environ -> another os._Environ"),
    ("os.environ['NEW'] = '1'", "the environment variable NEW:  -> '1'"),
    ("del os.environ['HOME']", "the environment variable HOME: '/usr' -> "),
    ("F = open('/dev/zero'), open('/dev/zero')", "an open file descriptor of /dev/zero:  -> 2"),
    ("contextvars.ContextVar('V').set('x')", "the context variable V:  -> 'x'"),
    ("decimal.Decimal(1) / 3",),  # which raises flags
    ("decimal.getcontext().prec = 4",
     "the decimal context: 'prec=28 ROUND_HALF_EVEN Emin=-999999 Emax=999999 capitals=1 clamp=0 traps: DivisionByZero "
     "InvalidOperation Overflow' -> 'prec=4 ROUND_HALF_EVEN Emin=-999999 Emax=999999 capitals=1 clamp=0 traps: "
     "DivisionByZero InvalidOperation Overflow'"),
    ("decimal.ExtendedContext.traps[decimal.Inexact] = True",
     "decimal.ExtendedContext: 'prec=9 ROUND_HALF_EVEN Emin=-999999 Emax=999999 capitals=1 clamp=0 traps: ' -> "
     "'prec=9 ROUND_HALF_EVEN Emin=-999999 Emax=999999 capitals=1 clamp=0 traps: Inexact'"),
    ("logging.root.setLevel(10)", "the level of the root logger: 30 -> 10"),
    ("logging.root.setLevel(1)",),  # the harness's own
    ("logging.basicConfig()", "handlers of the root logger: [] -> ['StreamHandler']"),
    ("logging.root.addFilter(logging.Filter())", "filters of the root logger: [] -> ['Filter']"),
    ("logging.disable(50)", "logging.disable(): 0 -> 50"),
    ("logging.raiseExceptions = False", "logging.raiseExceptions: True -> False"),
    ("logging.setLoggerClass(type('Mine', (logging.Logger,), {}))", "logging.setLoggerClass(): 'Logger' -> 'Mine'",
     "logging._loggerClass: its own -> another"),
    ("logging.setLogRecordFactory(len)", "logging.setLogRecordFactory(): 'LogRecord' -> 'len'",
     "logging._logRecordFactory: its own -> another"),
    ("threading.settrace(print)", "threading.settrace(): None -> 'set'"),
    ("threading.setprofile(print)", "threading.setprofile(): None -> 'set'"),
    ("atexit.register(print)", "functions registered with atexit: 0 -> 1"),
    ("weakref.finalize(set, print)",),  # registers itself, once
    ("asyncio.set_event_loop_policy(type('Mine', (asyncio.DefaultEventLoopPolicy,), {})())",
     "the event loop policy: None -> 'Mine'"),
    ("asyncio.get_event_loop_policy()",),
    ("multiprocessing.set_start_method('spawn')", "multiprocessing.set_start_method(): None -> 'spawn'"),
    ("socket.setdefaulttimeout(1)", "socket.setdefaulttimeout(): None -> 1.0"),
    ("faulthandler.enable(sys.__stderr__)", "faulthandler.is_enabled(): False -> True"),
    ("tracemalloc.start()", "tracemalloc.is_tracing(): False -> True"),
    ("csv.field_size_limit(9)", "csv.field_size_limit(): 131072 -> 9"),
    ("os.environ['TZ'] = 'AAA'; time.tzset()", "the environment variable TZ: 'UTC' -> 'AAA'",
     "time.tzname: ('UTC', 'UTC') -> ('AAA', 'AAA')"),
    ("copyreg.pickle(type('Mine', (), {}), str)", "copyreg.pickle() of Mine:  -> there"),
    ("urllib.request.install_opener(print)", "urllib.request.install_opener(): None -> 'set'"),
    ("mimetypes.init([]); mimetypes.types_map.clear(); mimetypes.add_type('a/b', '.c')",
     "mimetypes.add_type(): None -> 1"),
    ("sys.modules['random'] = random; leaving.loaded('random', random); random.seed(1)",
     "the state of the generator of random: as it was -> seeded, or drawn from", "random"),
    ("sys.modules['random'] = random; random.seed(1)",  # whose first state nobody knows
     "random: its own -> put in its place, not imported", "random"),
    ("random.Random(1).random()",),
    ("json.dumps = repr", "json.dumps: its own -> another"),
    ("del json.dumps", "json.dumps: its own -> gone"),
    ("json.loads.__code__ = (lambda s, **rest: '').__code__", "json.loads: its own -> another"),
    ("json.loads.__kwdefaults__ = {}", "json.loads: its own -> another"),
    ("json.JSONEncoder.default = print", "json.encoder.JSONEncoder.default: its own -> another"),
    ("__import__('builtins').new = 1", "builtins.new: its own -> new"),
    ("sys.modules['colorsys'] = types.ModuleType('colorsys')", "colorsys: its own -> put in its place, not imported"),
    ("sys.modules['json'] = types.ModuleType('json')", "json: its own -> another"),
    ("import colorsys; leaving.loaded('colorsys', colorsys)",),
    ("import colorsys; leaving.loaded('colorsys', colorsys); gc.disable()", "gc.isenabled(): True -> False",
     "colorsys"),
    ("os.environ['NEW'] = 'x' * 300", f"the environment variable NEW:  -> '{'x' * 199}"),
]  # fmt: skip
CALLS: list[tuple[list[object], list[str]]] = [
    (["threading.stack_size(65536)"], ["the stack size of threads: 0 -> 65536"]),
    (["KEPT = [open('/dev/zero')]; KEPT.append(KEPT)"], ["an open file descriptor of /dev/zero:  -> 1"]),
    (["KEPT = [open('/dev/zero')]; KEPT.append(KEPT); del KEPT"], []),
    (["json.loads.__code__ = (lambda s, **rest: '').__code__"], ["json.loads: its own -> another"]),
    (["json.loads.__code__ = (lambda s, **rest: '').__code__", False], []),
]


def test_what_an_import_leaves_changed() -> None:
    found = played(PROGRAM, [("import", does) for does, *_ in ROWS])
    assert dict(zip([does for does, *_ in ROWS], found, strict=True)) == {does: left for does, *left in ROWS}


def test_what_calls_leave_changed() -> None:
    """Beyond the import, once what nobody holds any more is gone. The inside of functions is looked at where asked."""
    assert played(PROGRAM, [("calls", *row) for row, _ in CALLS]) == [left for _, left in CALLS]


def test_not_all_of_many_is_kept() -> None:
    does = "for n in range(300): os.environ[f'N{n}'] = ''"
    assert [len(each) for each in played(PROGRAM, [("import", does)])] == [200]


def test_what_the_original_leaves_too_is_no_news() -> None:
    """Of what is counted the original leaves any number."""
    known = [("gc.isenabled()", "False"), ("threads", "1")]
    new = [("gc.isenabled()", "0"), ("gc.get_debug()", "False"), ("an open file descriptor of /b", "7")]
    left = [tuple(LeftSetting(name, "", after, "calls") for name, after in rows)
            for rows in (known, [*known, ("threads", "7"), *new], new)]  # fmt: skip
    original, draft, found = (ProcessChanges(each, ("json",)) for each in left)
    assert draft.beyond([original.replace(settings=(each,)) for each in original.settings]) == found


def test_options_of_pandas_have_full_names() -> None:
    assert pandas_options({"display": {"width": 80, "f": print}, "mode": {}}) == {
        "display.width": 80,
        "display.f": "set",
    }
