"""The seccomp filter, read by an interpreter of classic BPF: which calls it lets through, on both architectures."""

from __future__ import annotations

import errno
import struct
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.guest.supervisor.limits import seccomp_program

MACHINES = ("x86_64", "aarch64")
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "i386": 0x40000003, "arm": 0x40000028}
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
LONGEST = 4096  # instructions that the kernel takes

DENIED = {  # name: (x86_64, aarch64), copied from the kernel's tables a second time, so that a slip in one shows
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "fsopen": (430, 430), "move_mount": (429, 429), "open_tree": (428, 428),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
    "memfd_create": (319, 279), "execveat": (322, 281), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "init_module": (175, 105), "finit_module": (313, 273), "kexec_load": (246, 104),
    "reboot": (169, 142), "settimeofday": (164, 170), "clock_settime": (227, 112), "swapon": (167, 224),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
    "open_by_handle_at": (304, 265), "personality": (135, 92), "syslog": (103, 116), "acct": (163, 89),
}  # fmt: skip
NEEDED = {  # what an interpreter and its libraries cannot do without
    "read": (0, 63), "write": (1, 64), "openat": (257, 56), "close": (3, 57), "mmap": (9, 222), "brk": (12, 214),
    "execve": (59, 221), "wait4": (61, 260), "exit_group": (231, 94), "futex": (202, 98), "getrandom": (318, 278),
    "kill": (62, 129), "rt_sigaction": (13, 134), "prlimit64": (302, 261), "pipe2": (293, 59), "dup3": (292, 24),
    "clock_gettime": (228, 113), "nanosleep": (35, 101), "getdents64": (217, 61), "unlinkat": (263, 35),
    "sched_getaffinity": (204, 123), "setpriority": (141, 140), "prctl": (157, 167), "epoll_create1": (291, 20),
}  # fmt: skip
ABSENT = {"mincore": (27, 232), "cachestat": (451, 451)}
IGNORED = {
    "fadvise64": (221, 223), "readahead": (187, 213), "sync_file_range": (277, 84), "sync": (162, 81),
    "syncfs": (306, 267),
}  # fmt: skip
MADVISE, FCNTL, PRCTL, PREADV2, PWRITEV2 = (28, 233), (72, 25), (157, 167), (327, 286), (328, 287)
CLONE, CLONE3, SOCKET, SOCKETPAIR = (56, 220), (435, 435), (41, 198), (53, 199)
NAMESPACES = {
    "time": 0x80, "mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000,
    "pid": 0x20000000, "net": 0x40000000,
}  # fmt: skip
PARENT, THREAD, FORK = 0x8000, 0x3D0F00, 0x1200011
FAMILIES = {"unix": 1, "inet": 2, "inet6": 10}
OTHER_FAMILIES = {"packet": 17, "vsock": 40, "alg": 38, "bluetooth": 31, "can": 29, "xdp": 44, "x25": 9}
NETLINK = 16


def answer(machine: str, call: int, arguments: Sequence[int] = (), architecture: str = "") -> int:
    """Verdict of the filter on a system call, run as the kernel runs it."""
    words = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=IIQ6Q", call, ARCHITECTURE[architecture or machine], 0, *words)
    steps = list(struct.iter_unpack("=HBBI", seccomp_program(machine)))
    accumulator = at = 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x15:
                at += yes if accumulator == value else no
            case 0x35:
                at += yes if accumulator >= value else no
            case 0x45:
                at += yes if accumulator & value else no
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"an instruction that no filter of ours has: {code:#x}")


def denied(result: int, error: int) -> bool:
    return result == ERRNO | error


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("name", DENIED)
def test_denied(name: str, machine: str) -> None:
    assert denied(answer(machine, DENIED[name][MACHINES.index(machine)]), errno.EPERM)


@pytest.mark.parametrize("name", NEEDED)
def test_allowed(name: str, machine: str) -> None:
    assert answer(machine, NEEDED[name][MACHINES.index(machine)]) == ALLOW


@pytest.mark.parametrize("call", [173, 172, 154], ids=["ioperm", "iopl", "modify_ldt"])
def test_what_one_architecture_alone_has_is_denied_there_alone(call: int) -> None:
    assert denied(answer("x86_64", call), errno.EPERM)
    assert answer("aarch64", call) == ALLOW


@pytest.mark.parametrize("name", NAMESPACES)
def test_a_clone_into_a_new_namespace_is_denied(name: str, machine: str) -> None:
    call = CLONE[MACHINES.index(machine)]
    for flags in (NAMESPACES[name], NAMESPACES[name] | FORK, sum(NAMESPACES.values())):
        assert denied(answer(machine, call, [flags]), errno.EPERM)


def test_a_sibling_is_denied_a_child_and_a_thread_are_not(machine: str) -> None:
    call = CLONE[MACHINES.index(machine)]
    assert denied(answer(machine, call, [PARENT | 17]), errno.EPERM)
    assert [answer(machine, call, [flags]) for flags in (FORK, THREAD, 17, 0)] == [ALLOW] * 4


def test_clone3_does_not_exist_so_that_libc_takes_clone(machine: str) -> None:
    assert denied(answer(machine, CLONE3[MACHINES.index(machine)]), errno.ENOSYS)


@pytest.mark.parametrize("name", ABSENT)
def test_what_is_cached_cannot_be_asked(name: str, machine: str) -> None:
    assert denied(answer(machine, ABSENT[name][MACHINES.index(machine)]), errno.ENOSYS)


@pytest.mark.parametrize("name", IGNORED)
def test_advice_about_the_cache_is_taken_and_ignored(name: str, machine: str) -> None:
    assert denied(answer(machine, IGNORED[name][MACHINES.index(machine)]), 0)


def test_advice_about_memory(machine: str) -> None:
    call = MADVISE[MACHINES.index(machine)]
    ignored = [value for value in range(64) if answer(machine, call, [4096, 4096, value]) != ALLOW]
    assert ignored == [3, 12, 20, 21, 25]
    assert all(denied(answer(machine, call, [4096, 4096, value]), 0) for value in ignored)
    assert answer(machine, call, [3, 20, 4]) == ALLOW  # an address and a length are no advice


def test_hints_that_stay_with_a_file_are_ignored(machine: str) -> None:
    call = FCNTL[MACHINES.index(machine)]
    changed = [value for value in range(2048) if answer(machine, call, [5, value]) != ALLOW]
    assert changed == [1036, 1038]
    assert denied(answer(machine, call, [5, 1036]), 0)


def test_equal_pages_are_not_merged(machine: str) -> None:
    call = PRCTL[MACHINES.index(machine)]
    assert [value for value in range(256) if answer(machine, call, [value, 1]) != ALLOW] == [67]


@pytest.mark.parametrize("calls", [PREADV2, PWRITEV2], ids=["preadv2", "pwritev2"])
def test_flags_of_reads_and_writes(calls: tuple[int, int], machine: str) -> None:
    call = calls[MACHINES.index(machine)]
    for flags in range(256):
        result = answer(machine, call, [3, 4096, 1, 0, 0, flags])
        assert denied(result, errno.EOPNOTSUPP) if flags & 0x88 else result == ALLOW


@pytest.mark.parametrize("calls", [SOCKET, SOCKETPAIR], ids=["socket", "socketpair"])
def test_socket_families(calls: tuple[int, int], machine: str) -> None:
    call = calls[MACHINES.index(machine)]
    assert {answer(machine, call, [family, 1, 0]) for family in FAMILIES.values()} == {ALLOW}
    for family in OTHER_FAMILIES.values():
        assert denied(answer(machine, call, [family, 1, 0]), errno.EAFNOSUPPORT)
    assert answer(machine, call, [NETLINK, 3, 0]) == ALLOW  # the list of interfaces
    for protocol in (9, 15, 12, 4):  # audit, kernel events, netfilter, socket diagnosis
        assert denied(answer(machine, call, [NETLINK, 3, protocol]), errno.EAFNOSUPPORT)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 2**64 - 1), max_size=6))
def test_another_architecture_is_killed_whatever_it_calls(call: int, arguments: list[int]) -> None:
    for machine in MACHINES:
        for other in set(ARCHITECTURE) - {machine}:
            assert answer(machine, call, arguments, other) == KILL_PROCESS


@given(st.integers(0x40000000, 2**32 - 1))
def test_x32_numbers_do_not_exist(call: int) -> None:
    assert denied(answer("x86_64", call), errno.ENOSYS)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 2**64 - 1), max_size=6), st.sampled_from(MACHINES))
def test_every_call_gets_one_of_six_answers(call: int, arguments: list[int], machine: str) -> None:
    errors = (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT, errno.EOPNOTSUPP, 0)
    assert answer(machine, call, arguments) in {ALLOW, *(ERRNO | error for error in errors)}


@given(st.integers(2, 2**32 - 1).filter(lambda family: family not in {1, 2, 10, 16}), st.integers(0, 2**32 - 1))
def test_families_that_nobody_has_heard_of_are_denied(family: int, high: int) -> None:
    """The kernel takes an int: what stands in the upper half of the register is no way around."""
    for machine in MACHINES:
        assert denied(answer(machine, SOCKET[MACHINES.index(machine)], [family | high << 32]), errno.EAFNOSUPPORT)


def test_the_kernel_takes_a_filter_of_this_length(machine: str) -> None:
    assert len(seccomp_program(machine)) <= 8 * LONGEST
