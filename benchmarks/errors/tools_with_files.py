"""Six public tools with arguments and files: is the original recognised, a slow copy brought back, a wrong draft refused?

    python -m benchmarks.errors.tools_with_files [--only NAME] [--work DIR]

The tools are installed by pip into a folder; where there is no package index, or a tool is not there, its row says that
it was not run. A tool is a program of one file (or a module run by -m). Its slow copy does its work several times; a
scripted model answers with the original, and then with a version whose output file differs in little.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROWS = [f"{n} item{n * 7 % 311} {n * 13 % 97}.5" for n in range(400)]
PROSE = [f"a story of the {n}th fox and the two dogs in an o'clock world" for n in range(150)]
MARKDOWN = "\n\n".join(f"## Part {n}\n\n* one `code`\n* two **bold** [link](http://x/{n})" for n in range(60)) + "\n"
CODE = "".join(
    f"def f{n}(x):\n    # y = f{n}(1)\n    if x and {n}:\n        return [x for _ in range({n})]\n" for n in range(90)
)
SQL = "".join(f"select a{n}, count(*) from t{n} where b = {n} group by a{n};\n" for n in range(25))


@dataclass(frozen=True)
class Tool:
    """One tool; `slow` and `wrong` replace a text that its file holds once."""

    requirement: str
    file: str
    args: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    slow: tuple[str, str]
    wrong: tuple[str, str]
    entry: str = ""
    """What is added, where the installed console script is all that calls its main function."""
    module: str = ""

    @property
    def name(self) -> str:
        return self.requirement.partition("==")[0]


TOOLS = (
    Tool(
        "tabulate==0.10.0", "tabulate/__init__.py", ("-f", "grid", "-o", "out.txt", "data.txt"),
        (("data.txt", "\n".join(ROWS) + "\n"),),
        ("    print(\n        tabulate(\n", "    for _ in range(3):\n        tabulate(table, headers, tablefmt)\n    print(\n        tabulate(\n"),
        ("    rows = fobject.readlines()\n", "    rows = sorted(fobject.readlines())\n"),
    ),
    Tool(
        "titlecase==2.4.1", "titlecase/__init__.py", ("-f", "in.txt", "-o", "out.txt"),
        (("in.txt", "\n".join(PROSE) + "\n"),),
        ("    with ofile:\n", "    for _ in range(3):\n        titlecase(in_string, callback=wordlist_filter)\n    with ofile:\n"),
        ("def titlecase(text, callback=None, small_first_last=True", "def titlecase(text, callback=None, small_first_last=False"),
        '\n\nif __name__ == "__main__":\n    cmd()\n',
    ),
    Tool(
        "eradicate==3.0.1", "eradicate.py", ("-i", "-a", "code.py"), (("code.py", CODE),),
        ("            source = input_file.read()\n\n", "            source = input_file.read()\n        for _ in range(3):\n            list(self.filter_commented_out_code(source, args.aggressive))\n\n"),
        ("output_file.write(filtered_source)", "output_file.write(filtered_source.rstrip())"),
    ),
    Tool(
        "markdown2==2.5.5", "markdown2.py", ("--output", "out.html", "in.md"), (("in.md", MARKDOWN),),
        ("        html = markdown(text,\n", "        for _ in range(3):\n            markdown(text)\n        html = markdown(text,\n"),
        ("            text = fp.read()\n", "            text = fp.read().replace('two', '2')\n"),
    ),
    Tool(
        "mccabe==0.7.0", "mccabe.py", ("--min", "1", "code.py"), (("code.py", CODE),),
        ("    visitor.preorder(tree, visitor)\n\n    if", "    for _ in range(3):\n        other = PathGraphingAstVisitor()\n        other.preorder(tree, other)\n    visitor.preorder(tree, visitor)\n\n    if"),
        ("            if graph.complexity() >= options.threshold:\n                print", "            if graph.complexity() > options.threshold:\n                print"),
    ),
    Tool(
        "sqlparse==0.5.3", "sqlparse/cli.py", ("-r", "-o", "out.sql", "in.sql"), (("in.sql", SQL),),
        ("    s = sqlparse.format(", "    for _ in range(3):\n        sqlparse.format(data, **formatter_opts)\n    s = sqlparse.format("),
        ("    stream.write(s)", "    stream.write(s.rstrip(';'))"),
        '\n\nif __name__ == "__main__":\n    sys.exit(main())\n', "sqlparse.cli",
    ),
)  # fmt: skip


def main() -> None:
    """Print a row for each tool; exit status 1 when one that ran is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME")
    parser.add_argument("--work", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    good = True
    print("| tool | original against itself | slow copy brought back | wrong draft |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        for tool in TOOLS:
            if arguments.only in (None, tool.name):
                fine, row = look(tool, (arguments.work or Path(temporary)) / tool.name)
                good = good and fine
                print(row, flush=True)
    sys.exit(not good)


def look(tool: Tool, folder: Path) -> tuple[bool, str]:
    """Whether all is as it should be, and the row."""
    problem = install(tool, folder)
    if problem:
        return True, f"| {tool.requirement} | not run: {problem} | | |"
    path = folder / tool.file
    original = path.read_text() + tool.entry
    slow, wrong = (changed(original, *change) for change in (tool.slow, tool.wrong))
    (folder / "again.py").write_text(original)
    path.write_text(original)
    same = {} if tool.module else codeopt(tool, folder, "compare", tool.file, "again.py")
    path.write_text(slow)
    back = improve(tool, folder, original)
    refused = improve(tool, folder, wrong)
    recognised = tool.module != "" or same.get("verdict") in ("same", "inconclusive")
    why = refused["rounds"][0]["verdict"] if refused.get("rounds") else refused
    fine = bool(recognised and back.get("accepted") and not refused.get("accepted", True))
    speedup = f"{back['speedup']['ratio']:.2f}x" if back.get("accepted") else f"no: {back}"
    inputs = back.get("tests", {}).get("input_count")
    kept = "ran by -m" if tool.module else same.get("verdict", same)
    return (
        fine,
        f"| {tool.requirement} | {kept} | {speedup}, {inputs} inputs | {'ACCEPTED' if refused.get('accepted') else why} |",
    )


def install(tool: Tool, folder: Path) -> str:
    """Into the folder, with its files; why not, in a few words."""
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "-q", "--no-compile", "--target", str(folder)]
    done = subprocess.run([*command, tool.requirement], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1][:120]
    for name, content in tool.files:
        (folder / name).write_text(content)
    return ""


def changed(text: str, old: str, new: str) -> str:
    """Raises ValueError where the tool is not as it was when this was written."""
    if text.count(old) != 1:
        raise ValueError(f"{old!r} stands {text.count(old)} times in the program")
    return text.replace(old, new)


def improve(tool: Tool, folder: Path, draft: str) -> dict[str, Any]:
    """With a model that answers with this draft alone."""
    script = folder / "answers.txt"
    script.write_text(f"SUMMARY: does it once\n\n```python\n{draft}```\n")
    target = ["-m", tool.module] if tool.module else [tool.file]
    flags = ["--model", f"scripted:{script}", "--max-rounds", "1"]
    return codeopt(tool, folder, "improve", *target, *flags, "--no-profile")


def codeopt(tool: Tool, folder: Path, *arguments: str) -> dict[str, Any]:
    """The command's JSON; what it said where there is none."""
    command = [sys.executable, "-m", "codeopt", *arguments, "--json", "--timeout", "30", "--", *tool.args]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "CODEOPT_"))}
    environment |= {"CODEOPT_CONTEXT_TOKENS": "2000000", "CODEOPT_FEEDBACK": "measured"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return {"said": done.stderr.strip().splitlines()[-1:]}
    return found


if __name__ == "__main__":
    main()
