"""Imports the module under test once and forks a caller for each pass. Part of the harness program (caller.py)."""


def keeper(channel):
    """Import, then fork a caller for each pass."""
    try:
        module, function = import_target()
    except BaseException as error:
        channel.send(b"X", f"{type(error).__name__}: {error}")
        os_exit(1)
    import gc

    gc.collect()
    gc.freeze()  # the caller then shares these pages instead of copying them
    channel.send(b"I")
    while channel.receive()[0] == b"P":
        pid = os_fork()
        if not pid:
            status = 1
            try:
                Caller(channel, module, function).serve()
                status = 0
            finally:
                os_exit(status)
        channel.send(b"P", str(pid))
        channel.send(b"E", str(waitpid(pid, 0)[1]))
    os_exit(0)
