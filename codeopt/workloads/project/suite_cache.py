"""Results of a project's tests that are kept for the next session: of each file those that the original passes, and the
drafts that passed them.

A run sees copies of the project's files and nothing else of the user's, so their contents decide what the tests say,
with what runs them: all of it is in the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any

from codeopt.core.cache import Cache, CacheKind
from codeopt.core.environment_digest import digest_of
from codeopt.core.json_codec import JsonCodec
from codeopt.core.revision import Revision
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.function.corpus.cache_key import in_words, is_recent, runner_parts
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.test_runs import FileResults

FORMAT = 2
"""Version of the JSON of the results."""
PASSES = "passes"
CODEC = JsonCodec()


@dataclass
class SuiteCache:
    """Results of the tests of one project as it is; without a cache all tests are run."""

    cache: Cache | None = None
    key: str = ""
    notify: Callable[[str], None] = lambda line: None
    told: set[str] = field(default_factory=set)
    """Times of earlier runs that the user was told of."""

    def of_original(self, path: str) -> FileResults | None:
        """Return the results of a test file on the original. None if they are not known."""
        try:
            stored = self._load(self._key_of(path))
            return None if stored is None else CODEC.read(FileResults, stored)
        except ValueError:
            return None

    def keep_original(self, path: str, found: FileResults) -> None:
        """Keep them if a test passes."""
        if self.cache and found.passed:
            self.cache.put(CacheKind.SUITE, self._key_of(path), CODEC.write(found))

    def passes(self, draft: Revision, path: str) -> bool:
        """Return whether a draft is known to pass the tests of a file."""
        return bool(self._load(self._key_of(path, draft)) == PASSES)

    def keep_passing(self, draft: Revision, path: str) -> None:
        """Keep that a draft passes. One that fails is judged again."""
        if self.cache:
            self.cache.put(CacheKind.SUITE, self._key_of(path, draft), PASSES)

    def _key_of(self, path: str, draft: Revision | None = None) -> str:
        return digest_of([self.key, path, draft.digest if draft else ""])

    def _load(self, key: str) -> Any:
        stored = self.cache.get(CacheKind.SUITE, key) if self.cache else None
        if stored is None or not is_recent(stored.made_at):
            return None
        if (when := in_words(stored.made_at)) not in self.told:
            self.told.add(when)
            self.notify(f"the run of the tests of {when} is used again")
        return stored.value


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
