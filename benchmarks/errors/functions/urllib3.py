"""Functions of urllib3: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "urllib3.util.url:_remove_path_dot_segments",
        slow="""
def _remove_path_dot_segments(path):
    output = []
    for segment in path.split("/"):
        if segment == "..":
            output = output[:-1]
        elif segment != ".":
            output = output + [segment]
    if path[:1] == "/" and (len(output) == 0 or len(output[0]) > 0):
        output = [""] + output
    if path[-2:] == "/." or path[-3:] == "/..":
        output = output + [""]
    return "/".join(output)
""",
        wrong="""
def _remove_path_dot_segments(path):
    output = []
    for segment in path.split("/"):
        if segment == "..":
            if output:
                output.pop()
        elif segment != ".":
            output.append(segment)
    if path.startswith("/") and not output:
        output.append("")
    if path.endswith(("/.", "/..")):
        output.append("")
    return "/".join(output)
""",
        calls="""
CALLS = [(("/".join(["", "a", "b.c", ".", "", "d"][:n]),), {}) for n in range(1, 7)]
CALLS += [(("a/b/../c",), {}), (("/x/./y",), {}), (("/img/../css/..",), {}), (("b/.",), {})]
BIG = [(("/" + "/".join(["ab", "cd", "..", "."] * 600),), {}), (("/" + "/".join(["ab", ".", "cd"] * 600),), {})]
""",
    ),
]
