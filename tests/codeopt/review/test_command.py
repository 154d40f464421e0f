"""`codeopt review` as a job runs it: with a dead server, ended from outside, in each format."""
# looks at codeopt/cli/commands/review, codeopt/cli/commands/check

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from codeopt.cli import main
from codeopt.core import plugins
from tests.codeopt.command import FAST, QUICK, SLOW, codeopt, reply, write_problem
from tests.codeopt.review.pull_request import BASE, commit, propose
from tests.codeopt.review.reporters.test_formats import reviewdog_schema
from tests.codeopt.review.reporters.test_gitlab import CODE_QUALITY
from tests.conftest import require_sandbox
from tests.support.files import git
from tests.support.prices import set_prices
from tests.support.reviews import accepted
from tests.support.wire_server import WireServer
from tests.support.wire_steps import status

FILE = "tools/slow.py"
GOOD = ["It looks in a list.\nVERDICT: IMPROVE", reply(FAST, "a set"), "Good.\nVERDICT: DONE"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository whose branch adds a slow program with cases next to it."""
    require_sandbox()
    work = propose(tmp_path / "work", BASE, {})
    write_problem(work / "tools", words=1500)
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "a program")
    return work


def flags(url: str, *more: str) -> tuple[str, ...]:
    return ("review", "--base", "main", "--model", "m", "--base-url", url, *QUICK, *more)


@pytest.mark.full
def test_a_dead_model_server_is_a_notice_unless_strict(folder: Path) -> None:
    done = codeopt(*flags("http://127.0.0.1:9/v1", "--json"), cwd=folder)
    assert done.status == 0, done.err
    assert "the model failed" in done.json["notices"][0]
    assert "warning: the model failed" in done.err
    assert [each["path"] for each in done.json["skipped"]] == [FILE]
    assert codeopt(*flags("http://127.0.0.1:9/v1", "--strict", "-q"), cwd=folder).status == 4


@pytest.mark.full
def test_what_a_failed_function_has_cost_counts(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its model answers once, for a price, and then refuses: with the rest of the money the next is not asked for."""
    set_prices(monkeypatch, tmp_path_factory.mktemp("config"), "m", 9000.0, 9000.0)
    write_problem(folder / "tools/again", words=1500)
    (folder / FILE).write_text(SLOW + "# a longer prompt costs more\n" * 400)
    commit(folder, "one more")
    with WireServer([GOOD[0], status(422)]) as model:
        done = codeopt(*flags(model.base_url, "--max-cost", "20", "--json"), cwd=folder)
    assert (done.status, done.json["cost_usd"] > 1) == (0, True), done.err
    reasons = {each["path"]: each["reason"] for each in done.json["skipped"]}
    assert reasons.pop("tools/again/slow.py").startswith("the model failed")
    assert f"the limit of {20 - done.json['cost_usd']:g} USD is reached" in reasons[FILE]  # not of 20


@pytest.mark.full
@pytest.mark.parametrize(("name", "schema"), [("gitlab", CODE_QUALITY), ("rdjson", reviewdog_schema())])
def test_a_job_writes_the_report_of_its_platform(folder: Path, tmp_path: Path, name: str, schema: Any) -> None:
    base = git(folder, "rev-parse", "main").strip()
    report = tmp_path / "report.json"
    with WireServer(GOOD) as model:
        arguments = ("review", "--model", "m", "--base-url", model.base_url, *QUICK, "--output-format", name)
        variables = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
        done = codeopt(*arguments, "-o", str(report), cwd=folder, env=variables)
    assert (done.status, done.out) == (0, ""), done.err
    found = json.loads(report.read_text())
    jsonschema.validate(found, schema)
    (only,) = found["diagnostics"] if name == "rdjson" else found
    assert only["location"]["path"] == FILE
    if name == "rdjson":
        assert accepted(SLOW, only) == FAST


OF_NOTHING = {
    "diff": "",
    "gitlab": "[]\n",
    "json": '"suggestions": []',
    "markdown": "## codeopt: no suggestions",
    "rdjson": '"diagnostics": []',
    "sarif": '"results": []',
    "terminal": "(base main)\n  shop/new.py  excluded by 'shop'\n",
}


@pytest.mark.parametrize("name", plugins.names("codeopt.reporters"))
def test_each_format_is_printed_or_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(propose(tmp_path / "work", BASE, {"shop/new.py": "def f(x):\n    return x\n"}))
    arguments = ["review", "--base", "main", "--exclude", "shop", "--output-format", name, "-q"]
    assert main.main(arguments) == 0
    printed = capsys.readouterr().out
    assert OF_NOTHING[name] in re.sub(r"\(base [0-9a-f]{7,40}\)", "(base main)", printed)
    assert bool(printed) == bool(OF_NOTHING[name])
    report = tmp_path / "report"
    assert main.main([*arguments, "-o", str(report)]) == 0
    written = report.read_text().replace(f" -o {report}", "")  # the next step is the same command
    assert (capsys.readouterr().out, written) == ("", printed)


def test_the_help_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.main(["review", "--help"])
    shown = "".join(capsys.readouterr().out.split())
    assert ",".join(plugins.names("codeopt.reporters")) in shown
