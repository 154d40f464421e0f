"""Check the subject of a commit message: imperative, at most 72 characters, one change.

usage: check_commit_subject.py FILE    (the commit-msg hook's argument)
       check_commit_subject.py --range BASE..HEAD
"""

import re
import subprocess
import sys
from pathlib import Path

LONGEST = 72
IMPERATIVE = re.compile(r"[A-Z][a-z]+(?<!ed)(?<!ing)(?<![^s]s)\b")
"""`Fix` and `Pass`, not `Fixed`, `Fixing`, `Fixes` or `the fix`."""


def mistakes(subject: str) -> list[str]:
    """What is wrong with a subject; merges and reverts are git's own words."""
    if subject.startswith(("Merge ", 'Revert "')):
        return []
    found = {
        f"has {len(subject)} characters; {LONGEST} are allowed": len(subject) > LONGEST,
        "does not begin with an imperative verb, such as Fix or Add": not IMPERATIVE.match(subject),
        "ends with a full stop": subject.endswith("."),
        "has a semicolon: make two commits": ";" in subject,
    }
    return [text for text, wrong in found.items() if wrong]


def main(arguments: list[str]) -> int:
    """Print the mistakes of each subject; the exit status is 1 if there are any."""
    if arguments[0] == "--range":
        log = subprocess.run(
            ["git", "log", "--no-merges", "--format=%s", *arguments[1:]], text=True, stdout=-1, check=True
        )
        subjects = log.stdout.splitlines()
    else:
        subjects = Path(arguments[0]).read_text("utf-8").splitlines()[:1]
    wrong = [f"{subject!r} {text}" for subject in subjects for text in mistakes(subject)]
    print("\n".join(wrong), end="\n" * bool(wrong), file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
