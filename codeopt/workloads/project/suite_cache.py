"""Results of a project's tests that are kept for the next session: those that the original passes, and drafts that
passed them.

A run sees copies of the project's files and nothing else of the user's, so their contents decide what the tests say,
with what runs them: all of it is in the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, TypeVar

from codeopt.core.cache import Cache, CacheKind
from codeopt.core.environment_digest import digest_of
from codeopt.core.json_codec import JsonCodec
from codeopt.core.revision import Revision
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.function.corpus.cache_key import in_words, is_recent, runner_parts
from codeopt.workloads.project.reached import ImpactedTests
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.suite_tests import ProjectTests, SuiteFinding

FORMAT = 1
"""Version of the JSON of the results."""
Kept = TypeVar("Kept", ProjectTests, SuiteFinding)


def _rows(reached: ImpactedTests) -> Any:
    return [[[*place, *sorted(tests)] for place, tests in reached.tests.items()], reached.whole]


def _of_rows(value: Any) -> ImpactedTests:
    rows, whole = value
    return ImpactedTests({(str(path), int(line)): frozenset(map(str, tests)) for path, line, *tests in rows}, whole)


CODEC = JsonCodec({ImpactedTests: (_rows, _of_rows)})


@dataclass(frozen=True)
class SuiteCache:
    """Results of the tests of one project as it is; without a cache all tests are run."""

    cache: Cache | None = None
    key: str = ""
    notify: Callable[[str], None] = lambda line: None

    def tests(self) -> ProjectTests | None:
        """Return the tests that the original passes. None if they are not known."""
        return self._load(ProjectTests, self.key)

    def keep_tests(self, found: ProjectTests) -> None:
        """Keep them if there is one."""
        if found.passed:
            self._save(self.key, found)

    def passed(self, draft: Revision, tests: ProjectTests) -> SuiteFinding | None:
        """Return what is known of a draft that passed these tests. None if it is not known to pass."""
        return self._load(SuiteFinding, self._key_of(draft, tests)) if self.cache else None

    def keep_passed(self, draft: Revision, tests: ProjectTests, found: SuiteFinding) -> None:
        """Keep a draft that passes. One that fails is judged again."""
        if self.cache and not found.wrong:
            self._save(self._key_of(draft, tests), found)

    def _key_of(self, draft: Revision, tests: ProjectTests) -> str:
        return digest_of([self.key, draft.digest, CODEC.write(tests.batches)])

    def _load(self, kind: type[Kept], key: str) -> Kept | None:
        stored = self.cache.get(CacheKind.SUITE, key) if self.cache else None
        if stored is None or not is_recent(stored.made_at):
            return None
        try:
            found = CODEC.read(kind, stored.value)
        except ValueError:
            return None
        self.notify(f"the run of the tests of {in_words(stored.made_at)} is used again")
        return found

    def _save(self, key: str, found: Kept) -> None:
        if self.cache:
            self.cache.put(CacheKind.SUITE, key, CODEC.write(found))


def open_suite_cache(
    request: WorkloadRequest, runs: CommandRuns, paths: Sequence[str], ways: Sequence[Any]
) -> SuiteCache:
    """The results of the tests in some files; none where runs see more than copies, and for two versions.

    ways: how the tests are run, as JSON can hold it.
    """
    options, python, session = request.options, request.interpreter, request.session
    isolated = runs.sandbox.isolated and not options.image
    if options.no_cache or python is None or not isolated or runs.other is not None:
        return SuiteCache()
    limits = replace(runs.sandbox.limits, seconds=0.0)  # those of tests are their own
    try:
        environment = runner_parts(options, python, runs.sandbox, limits)
    except OSError as error:
        session.console.detail(f"No run of the tests is cached: {error}.")
        return SuiteCache()
    parts = {
        "format": FORMAT,
        "files": _digests(runs.project.contents),
        "roots": runs.project.import_roots,
        "command": asdict(runs.command),
        "tests": [sorted(paths), ways],
        **environment,
    }
    return SuiteCache(
        session.open_cache(runs.project.root, session.console.print), digest_of(parts), session.console.progress
    )


def _digests(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: sha256(content).hexdigest() for path, content in files.items()}
