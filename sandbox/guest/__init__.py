"""What runs inside the sandbox. Standard library only, sent to the guest over its channel: nothing is installed there.

supervisor  pid 1: serves requests, keeps time, counts, kills and cleans up
zygote      a warm interpreter with almost nothing imported, which forks one process for each run
lockdown    rlimits and the seccomp filter that every run inherits
meter       what a run used: CPU, memory, processes, from the kernel's own books
wire        frames on the channel, the only module that the host uses too

Three programs are put together from parts (sandbox/parts.py), with one namespace each:

caller      calls of one function; with values, arguments, pipes, importing, effects, lines, keeper and warden
tester      existing tests of it; with values, importing and recorder
profiler    a program under line_profiler or Scalene; with subject, callsites, ownlines and sampled
"""
