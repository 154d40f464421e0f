"""Profile of a project's command for people, as an HTML page and on a terminal: the clock, targets, tables, source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from shlex import join
from textwrap import wrap

from codeopt.analysis.nodes import first_line
from codeopt.core.sanitize import inline, log_line, printable
from codeopt.core.words import clock, took
from codeopt.report.html.drafts import LineColumn, annotated, percents
from codeopt.report.html.profile_page import branches, flame
from codeopt.report.html.templating import Markup, made, page, tag
from codeopt.report.stacks import CallNode, StackProfile, call_tree, placed
from codeopt.workloads.project.profile import IMPORTS, N_PLUS_1, FunctionTime, LineTime, ProjectProfile
from codeopt.workloads.source.functions import definitions
from codeopt.workloads.source.module_graph import read_module

LEAST = 0.005
"""Minimum share of what a list or a short table shows."""
SEEN = 0.0005
"""Minimum share of what a flame graph shows."""
ROWS = 20
"""Maximum number of rows of a short table."""


def command_page(
    command: str, profile: ProjectProfile, files: Mapping[str, bytes], python: str, notes: tuple[str, ...],
    before: StackProfile | None = None,
) -> Iterator[str]:  # fmt: skip
    """Yield the parts of the page.

    Args:
        command: The command that was profiled.
        profile: Its profile.
        files: Contents of the project.
        python: Line about the interpreter.
        notes: Lines about the profile.
        before: Earlier profile of the same command, shown next to this one.
    """
    targets = [
        (f.named, _percent(f.expected_gain), "self time" if f.expected_gain == f.own_share else f.why)
        for f in profile.targets
        if f.expected_gain >= LEAST
    ]
    libraries = {"Libraries, by who calls them": profile.libraries, "Imports": profile.imports}
    texts = {path: text.decode("utf-8", "replace") for path, text in files.items() if path.endswith(".py")}
    before = placed(before, texts) if before else None
    stacks, (now_width, then_width) = profile.stacks(command), _widths(profile, before)
    earlier = _shares(before) if before else None
    then = None
    if before:
        drawn = flame(call_tree(before, least=SEEN), f"Flame graph of {before.name}", then_width)
        then = {"words": f"{before.name}, {_amount(before.total, before.unit)}", "flame": drawn}
    counted = [f.calls for f in profile.functions if f.calls is not None]
    words = f"{took(profile.seconds)} wall time, {took(profile.cpu_s)} CPU time."
    if profile.queued_s > BUSY * profile.seconds:
        words += f" It waited {took(profile.queued_s)} for a core, not counted below: this machine is busy."
    if sum(part.seconds for part in profile.parts) > 1.05 * profile.seconds:
        words += " Several processes or threads ran at once: the parts add up to more than the wall time."
    names = ("function", *["self before"] * (earlier is not None), "self", "total", *["calls"] * bool(counted))
    return page(
        "command.html",
        command,
        f"Times by samples of CPU time. {made()}",
        python=python,
        next_step=next_step(command, profile),
        notes=(*profile.notes, *notes),
        clock=time_bar(
            [(part.name, part.seconds) for part in profile.parts], "Parts of the time of the command", profile.seconds
        ),
        clock_words=words,
        targets=targets[:ROWS],
        flame=flame(
            call_tree(stacks, least=SEEN), f"Flame graph of {command}; the list below it says the same", now_width
        ),
        tree=branches(call_tree(stacks, least=LEAST)),
        before=then,
        now_words=_amount(profile.cpu_s, "seconds"),
        function_names=names,
        functions=[_function(f, earlier)[: len(names)] for f in profile.functions[:2000]],
        queries=[
            (
                f"{row.file}:{row.line} in {row.qualname}",
                f"{row.queries:,}",
                f"{row.most_of_one:,}",
                N_PLUS_1 if row.repeats else "",
            )
            for row in profile.queries[:ROWS]
        ],
        waits_most=profile.waits_most,
        waits=[
            (row.place, _percent(row.share), "its own threads and processes" if row.for_others else row.library)
            for row in profile.waits
            if row.share >= LEAST
        ][:ROWS],
        sources=_sources(profile, files),
        libraries=[
            (title, [(row.library, _percent(row.share), row.place) for row in rows if row.share >= LEAST][:ROWS])
            for title, rows in libraries.items()
        ],
    )


def _widths(profile: ProjectProfile, before: StackProfile | None) -> tuple[float, float]:
    """Return the widths of the present and the earlier graph. They are equal if the earlier seconds are unknown."""
    if before is None or before.unit != "seconds":
        return 1.0, 1.0
    longer = max(profile.cpu_s, before.total) or 1.0
    return profile.cpu_s / longer, before.total / longer


def _amount(total: float, unit: str) -> str:
    return f"{took(total)} {clock('cpu')}" if unit == "seconds" else f"{total:,.0f} samples"


def _shares(before: StackProfile) -> Mapping[tuple[str, str], float]:
    """Own share of each function, with the libraries that it calls, by file and name."""
    found: dict[tuple[str, str], float] = defaultdict(float)
    whole = before.total
    for stack, weight in before.weights:
        innermost = next((frame for frame in reversed(stack) if frame.file), None)
        if innermost:
            found[innermost.file, innermost.name] += weight / whole
    return found


def _function(function: FunctionTime, earlier: Mapping[tuple[str, str], float] | None) -> tuple[str, ...]:
    before = (_percent(earlier.get((function.file, function.qualname), 0.0)),) if earlier is not None else ()
    return function.named, *before, _percent(function.own_share), _percent(function.total_share), function.count


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _sources(profile: ProjectProfile, files: Mapping[str, bytes]) -> Iterator[tuple[str, str, Markup]]:
    """Source of each target, then of other functions whose lines were timed; a title and what its figures are."""
    timed: dict[str, list[LineTime]] = defaultdict(list)
    for line in profile.lines:
        timed[line.file].append(line)
    waits: dict[str, dict[int, float]] = defaultdict(dict)
    for wait in profile.waits:
        waits[wait.file][wait.line] = waits[wait.file].get(wait.line, 0.0) + wait.share
    targets = [f for f in profile.targets if f.expected_gain >= LEAST][:ROWS]
    for function in dict.fromkeys((*targets, *(f for f in profile.functions if f.qualname != "<module>"))):
        text = files.get(function.file, b"").decode("utf-8", "replace")
        span = _span(text, function) if function in targets or timed[function.file] else None
        if span is None:
            continue
        inside = [line for line in timed[function.file] if span[0] <= line.line <= span[1]]
        if not inside and function not in targets:
            continue
        source = "\n".join(text.split("\n")[span[0] - 1 : span[1]])
        more = (
            LineColumn("libraries", percents({line.line: line.library_share for line in inside})),
            LineColumn(
                "waiting",
                percents({at: s for at, s in waits[function.file].items() if at in range(span[0], span[1] + 1)}),
            ),
        )
        own, total = _percent(function.own_share), _percent(function.total_share)
        how = f"Self {own} of the CPU time, total {total}."
        shares = {line.line: line.own_share for line in inside}
        why = "no line of it was seen at work: its time is that of what it calls, or its lines could not be timed"
        yield function.named, how, annotated(function.named, source, shares, span[0], more, why)


def _span(text: str, function: FunctionTime) -> tuple[int, int] | None:
    found = [node for name, node in definitions(read_module(text)) if name == function.qualname]
    spans = [(first_line(node), node.end_lineno or node.lineno) for node in found]
    return next((span for span in spans if span[0] == function.line), None)


COLOURS = 7
"""Number of colours that page.css has for parts."""


def time_bar(parts: Sequence[tuple[str, float]], title: str, whole_s: float) -> Markup:
    """parts: name and seconds; the bar is the wall time, or their sum where several processes worked at once."""
    total = max(whole_s, sum(seconds for _, seconds in parts)) or 1.0
    drawn, left = [], 0.0
    for at, (_, seconds) in enumerate(parts):
        width = seconds / total
        drawn.append(tag("rect", class_=f"part{at % COLOURS}", x=f"{left:.3%}", width=f"{width:.3%}", height=22))
        left += width
    bar = tag("svg", tag("title", title), drawn, class_="timebar", width="100%", height=22, role="img")
    key = [
        tag("li", tag("b", took(seconds)), f" {name} ({seconds / total:.0%})", class_=f"part{at % COLOURS}")
        for at, (name, seconds) in enumerate(parts)
        if seconds >= LEAST * total
    ]
    return tag("div", bar, tag("ul", key, class_="parts"))


# A command's profile on a terminal: functions, lines, and with -v the call tree, libraries and imports.

LEAST_TOLD = 0.02
"""Smaller shares are not shown to people."""
MOST = 12
"""Maximum number of rows of a table."""
SMALL = 0.1
"""Share of the CPU time in the project's functions below which imports may be worth more."""
SAMPLED = "Lines are sampled: time in a loop is spread over its lines. -v times each line."
"""Note below the lines that were not timed one by one."""
BUSY = 0.2
"""Wait for a core, as a share of the wall time, from which on it is reported."""


def profile_text(
    command: str, profile: ProjectProfile, files: Mapping[str, bytes], *, verbose: bool, folder: str = "."
) -> str:
    """Format a profile for a terminal. `verbose` adds the call tree, targets, libraries and imports."""
    parts = [part for part in profile.parts if part.seconds >= 0.005]
    out = [
        f"{inline(command, 200)}: {took(profile.seconds)} {clock('wall')}, {took(profile.cpu_s)} {clock('cpu')}",
        *(f"  {row}" for row in wrap(", ".join(f"{part.name} {took(part.seconds)}" for part in parts), 76)),
    ]
    waited = _waiting(profile)
    out += waited if profile.waits_most else []
    functions = [f for f in profile.functions if f.own_share >= LEAST_TOLD][:MOST]
    counted = any(f.calls is not None for f in functions)
    out += ["", f"   self   total{'       calls' * counted}  function"] * bool(functions)
    for f in functions:
        calls = f" {f.count:>11}" * counted
        library = f"  ({f.library_share:.0%} in libraries)" if f.library_share >= LEAST_TOLD else ""
        out.append(f"{f.own_share:>7.1%} {f.total_share:>7.1%}{calls}  {printable(f.named)}{library}")
    lines = [line for line in profile.lines if line.own_share >= LEAST_TOLD][:MOST]
    out += ["", "   self   line"] * bool(lines)
    for line in lines:
        source = files.get(line.file, b"").decode("utf-8", "replace").split("\n")
        text = source[line.line - 1] if 0 < line.line <= len(source) else ""
        out.append(f"{line.own_share:>7.1%}   {printable(line.file)}:{line.line}  {inline(text.strip(), 90)}")
    out += [SAMPLED] * bool(lines and not verbose)
    asked = [f"  {printable(each.words)}" for each in profile.repeated_queries[:MOST]]
    out += ["", f"Queries, {N_PLUS_1}:", *asked] if asked else []
    out += [] if profile.waits_most else waited
    out += _details(profile) if verbose else []
    out.append("")
    out += [f"Note: {note}" for note in profile.notes]
    if profile.queued_s > BUSY * profile.seconds:
        out.append(f"Note: this machine is busy: the command waited {took(profile.queued_s)} for a core, not counted.")
    if (ours := _of_project(profile)) < SMALL:
        out.append(f"This project takes {ours:.0%} of the CPU time: a faster function cannot save more.")
    following = next_step(command, profile, folder)
    return "\n".join(log_line(line, 2000) for line in [*out, *[f"Next: {following}"] * bool(following)])


def next_step(command: str, profile: ProjectProfile, folder: str = ".") -> str:
    """Return a command to paste: the improvement, or the imports if they take most of the time.

    Empty if the project's own functions take so little that no improvement of them would show.
    """
    slowest = next((part.name for part in profile.parts), "")
    interpreter, _, rest = command.partition(" ")
    if _of_project(profile) >= SMALL:
        return join(["codeopt", "improve", *[folder] * (folder != "."), "--run", command])
    is_import = slowest == IMPORTS and interpreter in ("python", "python3")
    return f"{interpreter} -X importtime {rest}" if is_import else ""


def _of_project(profile: ProjectProfile) -> float:
    return sum(f.own_share for f in profile.functions)


def _details(profile: ProjectProfile) -> list[str]:
    """Format the tree of calls, targets, libraries, imports and the interpreter's start."""
    branches = list(_branches(call_tree(profile.stacks(""), LEAST_TOLD), 0))
    out = ["", f"Call tree by total {clock('cpu')}", *branches] if branches else []
    # Maximum number of targets that are shown
    targets = [f for f in profile.targets if f.expected_gain >= LEAST_TOLD][:5]
    out += ["", "Functions by largest possible gain"] * bool(targets)
    out += [f"  {f.expected_gain:>6.1%}  {printable(f.named)}  ({f.why})" for f in targets]
    for title, rows in (("Libraries by calling line", profile.libraries), ("Imports", profile.imports)):
        large = [row for row in rows if row.share >= LEAST_TOLD][:MOST]
        out += ["", title] * bool(large)
        for row in large:
            out.append(f"  {row.share:>6.1%}  {printable(row.library)}  {printable(row.place)}")
    started, waited = f"{profile.start_share:.1%} of {clock('cpu')}", f"{profile.waiting_share:.1%} of {clock('wall')}"
    return [*out, "", f"Start of the interpreter {started}, waiting {waited}"]


def _waiting(profile: ProjectProfile) -> list[str]:
    """Format lines at which the command waits, and the wait for its own threads and processes as one row."""
    out = []
    for row in [row for row in profile.waits if row.share >= LEAST_TOLD and not row.for_others][:MOST]:
        library = f" ({printable(row.library)})" if row.library else ""
        out.append(f"  {row.share:>6.1%}  {printable(row.place)}{library}")
    others = sum(row.share for row in profile.waits if row.for_others)
    out += [f"  {min(others, 1.0):>6.1%}  for its own threads and processes"] if others >= LEAST_TOLD else []
    return ["", "Waiting, shares of wall time", *out] if out else []


def _branches(nodes: tuple[CallNode, ...], depth: int) -> Iterator[str]:
    """Format the functions of the project; libraries and the interpreter's start have no file."""
    # Maximum depth of the tree of calls that is shown
    for node in nodes if depth <= 12 else ():
        if node.frame.file:
            yield f"  {node.share:>6.1%}  {'  ' * depth}{printable(f'{node.frame.file}::{node.frame.name}')}"
            yield from _branches(node.below, depth + 1)
