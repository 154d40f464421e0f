"""Whole runs say the same: what a run asks, shows, saves and answers, by its end; and a comparison, by its verdict.
`python -m tests.codeopt.engine.test_same_run` rewrites the texts."""
# looks at codeopt/engine, codeopt/core, codeopt/models

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from codeopt.core.console import CallbackConsole
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.engine.compare import compare
from codeopt.engine.improve import improve
from codeopt.engine.open_session import open_session
from codeopt.models.scripted import SEPARATOR
from tests.codeopt.command import FAST, WRONG, reply, write_problem
from tests.support.recorded import Row, tell, told_by

TEXTS = Path(__file__).with_name("same_run")
NOT_THE_SAME = """machine python codeopt_version diff seconds_by_step run folder method isolation runtime tokens pairs
rows model_s seconds confirmation_s"""


def fields_of(answer: object) -> list[str]:
    """Lines of an answer; of what is measured only whether it is zero."""
    found = json.loads(
        json.dumps(answer, default=dict),
        object_hook=lambda fields: {name: fields[name] for name in fields if name not in NOT_THE_SAME.split()},
        parse_float=lambda number: bool(float(number)),
    )
    return json.dumps(found, indent=1).splitlines()


def options(folder: Path, **given: object) -> ImproveOptions:
    usual = {"sandbox": "bubblewrap", "mutated_inputs": "off", "input_seed": 1, "run_dir": folder / "runs"}
    return ImproveOptions.of({**usual, "no_cache": True, "no_profile": True, **given})


def run(*told: str, **given: object) -> Iterator[object]:
    """A run with a model that says some words in turn."""
    with TemporaryDirectory() as name:
        folder, lines = Path(name), list[str]()
        path = write_problem(folder, words=1500)
        (folder / "answers.txt").write_text(f"\n{SEPARATOR}\n".join(told))
        model = f"scripted:{folder / 'answers.txt'}" if told else "rules"
        session = open_session(CallbackConsole(lines.append))
        result = improve(Target(path), options(folder, model=model, **given), session)
        yield [line.split(maxsplit=1)[0] for line in lines if line.strip()]
        yield from fields_of(result.to_json())
        yield from sorted(str(each.relative_to(result.saved)) for each in result.saved.rglob("*"))


def compared(new: str, **given: object) -> Iterator[object]:
    with TemporaryDirectory() as name:
        path = write_problem(Path(name), words=1500)
        (path.parent / "new.py").write_text(new)
        found = compare(Target(path), Target(path.parent / "new.py"), options(path.parent), open_session(), **given)
        yield from fields_of(found.to_json())


GOES_ON, ENDS = "The list is slow.\nVERDICT: IMPROVE", "Nothing is left.\nVERDICT: DONE"
ROWS: dict[str, Row] = {
    "drafts": partial(run, GOES_ON, reply(WRONG), GOES_ON, reply(FAST, "a set"), ENDS),
    "rules": run,
    "no draft": partial(run, GOES_ON, "no idea", max_rounds=1),
    "a model that fails": partial(run, GOES_ON, reply(WRONG), GOES_ON),
    "faster": partial(compared, FAST, limit=0.1),
    "wrong": partial(compared, WRONG),
}
test_the_same_is_said = told_by(TEXTS, ROWS)


if __name__ == "__main__":
    tell(TEXTS, ROWS)
