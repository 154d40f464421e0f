"""Code that runs inside the sandbox: an ordinary package of the standard library, sent over the guest's channel.

Nothing is installed or mounted inside; `boot` makes the package out of what arrived. Four programs:

    host ── wire ── supervisor ── zygote ─┬─ a program, as `python program.py` would run it
                    (pid 1)               ├─ calls     of one function: controller ── importer ── worker for each pass
                                          ├─ tests     that exist already, with the calls they make written down
                                          └─ profile   of a program by line

supervisor/  serves requests, keeps time, counts, kills and cleans up
zygote       a warm interpreter with almost nothing imported, which forks one process for each run
finalize     end of a program in a forked process, as in an interpreter of its own
calls/ tests/ profile/
             our own programs. Their code objects are made once in a guest; no name leads to them in a run, and they
             have builtins of their own. What a judge goes by is taken by processes that never run the code under test.

The host imports what both sides must agree on: wire, boot, calls.function_ref, calls.batch, calls.outcome,
tests.request and profile.request.
"""
