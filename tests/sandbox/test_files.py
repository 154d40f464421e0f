"""Files that a run is given, and files that it writes."""
# looks at sandbox/codeopt_sandbox/guest/supervisor/folders, sandbox/codeopt_sandbox/guest/supervisor/server
# looks at sandbox/codeopt_sandbox/outcome

from __future__ import annotations

import pytest

from codeopt_sandbox import Case, CaseVerdict, RunLimits, Sandbox
from codeopt_sandbox.outcome import Mode, WrittenFile, run_on
from codeopt_sandbox.verdict import judge

GIVEN = (
    ("data.csv", b"a,b\n1,2\n"),
    ("deep/er/x.txt", b"x"),
    ("gone.txt", b"g"),
    ("same.txt", b"s"),
    ("again.txt", b"a"),
)
PROGRAM = """\
import os, pathlib, sys
print(sys.argv[1:], sorted(os.listdir(".")), open("data.csv").read().split())
open("data.csv", "a").write("3,4\\n")
pathlib.Path("deep/out.bin").write_bytes(bytes(300))
os.mkdir("made"); os.chmod("made", 0o700)
open("made/log.txt", "w").write("secret")
open("tmp", "w").write("s"); os.replace("tmp", "same.txt")
os.unlink("gone.txt")
open("again.txt", "w").write("a")
os.close(os.open("x.sh", os.O_CREAT, 0o755))
os.close(os.open("key", os.O_CREAT, 0o600))
os.symlink("/etc/passwd", "link"); os.symlink("/etc", "folder"); os.mkfifo("pipe")
"""


@pytest.mark.parametrize("mode", ["fork", "exec"])
def test_a_run_has_its_files_and_what_it_wrote_comes_back(sandbox: Sandbox, mode: Mode) -> None:
    """Twice, as nothing of the first run may be there in the second."""
    case = Case("one", b"", args=("--top", "10"), files=GIVEN)
    for _ in range(2):
        run = run_on(sandbox, PROGRAM, case, mode=mode)
        assert (run.exit, run.stderr) == (0, b"")
        assert (
            run.stdout == b"['--top', '10'] ['again.txt', 'data.csv', 'deep', 'gone.txt', 'same.txt'] ['a,b', '1,2']\n"
        )
        assert run.written == (
            WrittenFile("again.txt", b"a"),
            WrittenFile("data.csv", b"a,b\n1,2\n3,4\n"),
            WrittenFile("deep/out.bin", bytes(300)),
            WrittenFile("folder", b"/etc"),
            WrittenFile("gone.txt", None),
            WrittenFile("key", b"", mode=0o600),
            WrittenFile("link", b"/etc/passwd"),
            WrittenFile("made/log.txt", b"secret"),
            WrittenFile("pipe", None, special=True),
            WrittenFile("same.txt", b"s"),
            WrittenFile("x.sh", b"", mode=0o755),
        )
    assert sandbox.run("import os; print(os.path.exists('data.csv'))").stdout == b"False\n"


def test_too_much_in_files_is_too_much_output(sandbox: Sandbox) -> None:
    """By bytes and by number."""
    limits = RunLimits(output_mib=1)
    for program in ("open('big', 'wb').truncate(1 << 21)", "[open(str(n), 'w').close() for n in range(600)]"):
        run = sandbox.run(program, files=(), limits=limits)
        assert run.stop == "output"
        assert not run.written
    large = b"0" * (3 << 20)
    assert sandbox.run("print(len(open('in').read()))", files=(("in", large),), limits=limits).stdout == b"3145728\n"


def test_files_are_compared_byte_for_byte(sandbox: Sandbox) -> None:
    """Missing, new, changed and ignored files."""
    write = "open('a', 'w').write({!r}); open('run.log', 'w').write({!r})"
    first = sandbox.run(write.format("x", "1"), files=())
    case = Case("one", b"", b"", files=(), written=first.written, ignored=("*.log",))
    assert judge(case, sandbox.run(write.format("x", "2"), files=())).verdict is CaseVerdict.AC
    wrong = judge(case, sandbox.run(write.format("x ", "1"), files=()))
    assert (wrong.verdict, wrong.detail) == (CaseVerdict.WA, "file a: line 1: expected 'x', got 'x '")
    assert judge(case, sandbox.run("pass", files=())).detail == "file a: it was expected and is not written"
    more = judge(case, sandbox.run(write.format("x", "") + "; open('b', 'w')", files=()))
    assert more.detail == "file b: it is written and was not expected"
