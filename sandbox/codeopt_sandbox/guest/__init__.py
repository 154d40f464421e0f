"""Code that runs inside the sandbox: an ordinary package of the standard library, sent over the guest's channel.

Nothing is installed or mounted inside. `boot` makes the package from its sources. There are five programs:

    host ── wire ── supervisor ── zygote ─┬─ a program, as `python program.py` would run it
                    (pid 1)               ├─ calls     of one function: controller ── importer ── worker for each pass
                                          ├─ tests     that exist already, with a record of their calls
                                          ├─ profile   of a program by line
                                          └─ accept    a user's own checker of answers

    supervisor/  serves requests, keeps time, counts, kills and cleans up
    zygote       a warm interpreter with almost nothing imported, which forks one process for each run, and ends it
    calls/ tests/ profile/ accept
                 codeopt's own programs

The code objects of codeopt's programs are made once in a guest. No name leads to them in a run, and they have builtins
of their own. Verdicts depend only on measurements of processes that never run the code under test.

The host imports the modules that both sides share: wire, boot, request, answer, and of calls channel, outcome,
process_state, recipes and scenarios.
"""
