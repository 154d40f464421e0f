"""Small programs that print what they see of their interpreter, or end in some way; by name."""

PROBES = {
    "modules": ("import sys\nprint(sorted(sys.modules))"),
    "argv": ("import sys\nprint(sys.argv, sys.orig_argv, sys.path, sys.flags, sys.executable)"),
    "names": "print(sorted((k, str(v)) for k, v in globals().copy().items() if k != '__builtins__'))",
    "builtins": "print(type(__builtins__), __spec__, __package__, __loader__)",
    "main_module": (
        "import __main__, sys\nprint(__main__.__dict__ is globals(), repr(__main__), type(sys.modules['__main__']))"
    ),
    "streams": (
        "import sys\n"
        "for f in (sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__): pri"
        "nt(f.encoding, f.errors, f.line_buffering, f.write_through, f.newlines, f.name, "
        "f.mode, f.fileno(), f.isatty(), f.buffer.name, f.buffer.mode, type(f.buffer), ty"
        "pe(f.buffer.raw), f.buffer.raw.closefd)"
    ),
    "exit300": "import sys; sys.exit(300)",
    "exit-1": "import sys; sys.exit(-1)",
    "exitbig": "import sys; sys.exit(2**70)",
    "exitstr": "import sys; print('a'); sys.exit('bad\\u00e9')",
    "exitobj": ("class A:\n def __str__(self): raise ValueError('no')\nimport sys; sys.exit(A())"),
    "traceback": ("def f(n):\n    return 1//n\nf(0)"),
    "traceback_of_two": ("try:\n    {}['a']\nexcept KeyError:\n    int('x')"),
    "syntax": ("x = (\nprint(1"),
    "keyboard_interrupt": "raise KeyboardInterrupt",
    "exception_group": "raise ExceptionGroup('g', [ValueError(1)])",
    "excepthook": ("import sys\nsys.excepthook=lambda *a: print('hook', a[0], file=sys.stdout)\n1/0"),
    "excepthook_fails": ("import sys\ndef h(*a): raise ValueError('in hook')\nsys.excepthook=h\n1/0"),
    "atexit": ("import atexit\natexit.register(print,'bye')\natexit.register(lambda: 1/0)\nprint('hi')"),
    "atexit2": ("import atexit,sys\natexit.register(lambda: sys.exit(3))\nprint('hi')"),
    "atexit3": ("import atexit\natexit.register(print,'bye')\n1/0"),
    "thread": (
        "import threading,time\ndef f():\n time.sleep(.05); print('t')\nthreading.Thread(target=f).start()\nprint('m')"
    ),
    "daemon": (
        "import threading,time\n"
        "threading.Thread(target=lambda:(time.sleep(9),print('no')),daemon=True).start()\n"
        "print('m')"
    ),
    "threadexc": ("import threading\nt=threading.Thread(target=lambda:1/0,name='T');t.start();t.join();print('m')"),
    "unclosed": (
        "import os, tempfile\n"
        "file = tempfile.TemporaryFile('w')\n"
        "file.write('abc')\n"
        "os.dup2(1, file.fileno())\n"
        "print('first', end='')"
    ),
    "del_method": ("class A:\n def __del__(self): print('del')\na=A()\nprint('x')"),
    "del_method_in_cycle": (
        "class A:\n def __del__(self): print('del', __name__)\nclass M: pass\nm=M();m.a=A();m.m=m\nprint('x')"
    ),
    "stdout_closed": ("import sys\nsys.stdout.close()"),
    "descriptor_closed": ("import os\nprint('x')\nos.close(1)"),
    "stdout_is_none": ("import sys\nsys.stdout=None"),
    "stderr_is_none": ("import sys\nsys.stderr=None\n1/0"),
    "hard_exit": ("import os\nos._exit(7)"),
    "sigterm": ("import os\nos.kill(os.getpid(),15)"),
    "abort": ("import os\nos.abort()"),
    "stdin": ("import sys\nprint(repr(input()), repr(sys.stdin.readline()), repr(sys.stdin.buffer.read()))"),
    "end_of_input": "input();input();input();input()",
    "lone_surrogate": "print('\\udc80')",
    "sys_settings": (
        "import sys\n"
        "names = 'warnoptions', '_xoptions', 'dont_write_bytecode', 'path_hooks', 'meta_path', 'flags'\n"
        "print([getattr(sys, name) for name in names])\n"
        "print(sys.exc_info(), hasattr(sys, 'last_type'), sys.getswitchinterval(), sys.gettrace(), sys.getprofile())"
    ),
    "sys_names": "import sys; print(sorted(vars(sys)))",
    "environ": "import os; print(sorted(os.environ.items()), os.getcwd(), os.umask(0), oct(os.umask(0)))",
    "identity": (
        "import os\n"
        "print(os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid())\n"
        "print(os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0))"
    ),
    "open_descriptors": "import os; print(sorted(os.listdir('/proc/self/fd')))",
    "flags_of_descriptors": "import os; print([ (fd,os.get_inheritable(fd), os.get_blocking(fd)) for fd in (0,1,2)])",
    "signals": (
        "import signal; print([(s.name,signal.getsignal(s)) for s in sorted(signal.valid_"
        "signals()) if hasattr(s,'name')], signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    ),
    "resource_limits": (
        "import resource; print([ (n,resource.getrlimit(getattr(resource,n))) for n in di"
        "r(resource) if n.startswith('RLIMIT')])"
    ),
    "hash": "print(hash('a'), hash(b'x'), {'a','b','c','d'})",
    "warn": ("import warnings\nwarnings.warn('x', DeprecationWarning)\nimport sys; print(warnings.filters)"),
    "warning_of_compiler": ("x = 1 is 1\nprint('\\d')"),
    "unclosed_file_no_warning": ("open('/dev/null')\nprint(1)"),
    "threads_known": (
        "import threading; print(threading.current_thread(), threading.main_thread().iden"
        "t==threading.get_ident(), threading.active_count())"
    ),
    "subprocess": (
        "import subprocess,sys; print(subprocess.run([sys.executable,'-c','print(1)'],capture_output=True))"
    ),
    "future_annotations": ("from __future__ import annotations\nx: int = 1\nprint(__annotations__)"),
    "byte_order_mark": ("\ufeffprint(1)"),
    "carriage_returns_in_source": ("print(1)\r\nprint('''a\r\nb''')\r\n"),
    "site_builtins": "print(exit, quit, copyright)",
    "exit_builtin": "exit(4)",
    "oom_score": "print(open('/proc/self/oom_score_adj').read())",
    "kernel_status": (
        "wanted = 'CapEff CapPrm CapBnd CapInh CapAmb NoNewPrivs Seccomp SigIgn SigBlk Si"
        "gCgt Groups Threads'.split()\n"
        "print([line for line in open('/proc/self/status') if line.split(':')[0] in wanted])"
    ),
    "unraisable": ("class A:\n def __del__(self): 1/0\nA()\nprint(1)"),
    "linecache": "import linecache; print(repr(linecache.getline(__file__,1)))",
    "imports_itself": ("import program\nprint('again', __name__)"),
    "own_path": "import sys,os; print(os.path.abspath(__file__), sys.path[0])",
    "long_integer_refused": ("print(len(str(10**4000)))\nprint(str(10**5000)[:3])"),
    "stdin_is_a_file": ("import os,sys\nprint(os.fstat(0).st_size, os.lseek(0,0,1))"),
    "exitthread": ("import threading,sys\nthreading.Thread(target=sys.exit,args=(3,)).start()"),
    "excepthook_deleted": ("import sys\ndel sys.excepthook\n1/0"),
    "exit_3_unflushable": ("import sys,os\nsys.stdout.write('a'*10)\nos.close(1)\nsys.exit(3)"),
    "stdout_is_a_string": ("import sys,io\nsys.stdout=io.StringIO()\nprint('lost')"),
    "stdout_is_another_file": (
        "import sys\nsys.stdout = open('/dev/null', 'w')\nprint('lost')\nsys.__stdout__.write('kept')"
    ),
    "stdout_wrapped_again": (
        "import sys,io,os\nsys.stdout=io.TextIOWrapper(sys.stdout.buffer, write_through=False)\nprint('buf')\n"
    ),
    "stdout_has_only_write_and_flush": (
        "import sys,io,os\n"
        "sys.stdout=io.BytesIO()\n"
        "class S:\n"
        " def __init__(s): s.b=[]\n"
        " def write(s,x): s.b.append(x)\n"
        " def flush(s): os.write(1, ''.join(s.b).encode())\n"
        "sys.stdout=S()\n"
        "print('via flush')"
    ),
    "fast_io_template": (
        "import os,sys\n"
        "from io import BytesIO, IOBase\n"
        "class F(IOBase):\n"
        " def __init__(s,f): s._fd=f.fileno(); s.buffer=BytesIO(); s.write=s.buffer.write\n"
        " def flush(s):\n"
        "  os.write(s._fd, s.buffer.getvalue()); s.buffer.truncate(0); s.buffer.seek(0)\n"
        "class W(IOBase):\n"
        " def __init__(s,f): s.buffer=F(f); s.flush=s.buffer.flush; s.write=lambda x: s.buffer.write(x.encode())\n"
        "sys.stdout=W(sys.stdout)\n"
        "print('fast io')"
    ),
    "many_modules_left": (
        "import sys\n"
        "for name in list(sys.modules):\n"
        "    if name != '__main__':\n"
        "        del sys.modules[name]\n"
        "print('still prints')"
    ),
    "threading_shutdown_broken": ("import threading\nthreading._shutdown = None\nprint(1)"),
    "exit_in_hook": ("import sys\nsys.excepthook = lambda *error: sys.exit(4)\n1 / 0"),
    "flush_raises": (
        "import sys\n"
        "class Output:\n"
        "    def write(self, text): pass\n"
        "    def flush(self): raise ValueError('no flush')\n"
        "sys.stdout = Output()\n"
        "print(1)"
    ),
    "last_traceback_at_exit": (
        "import atexit, sys\natexit.register(lambda: print(sys.last_type, sys.last_value))\n1 / 0"
    ),
    "thread_after_error": (
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.05), print('late'))).start()\n1 / 0"
    ),
    "coroutine_never_awaited": ("async def f(): pass\nf()\nprint(1)"),
    "generator_left_open": (
        "def g():\n    try:\n        yield 1\n    finally:\n        print('closed')\nx = g()\nprint(next(x))"
    ),
    "weakref_callback": (
        "import weakref\nclass A: pass\na = A()\nr = weakref.finalize(a, print, 'finalized')\nprint(1)"
    ),
    "finally_in_thread": (
        "import threading, sys\n"
        "def f():\n"
        "    try: sys.exit(3)\n"
        "    finally: print('done')\n"
        "threading.Thread(target=f).start()"
    ),
}
