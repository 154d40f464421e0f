"""A review brought to the request to merge that it is about: what is new is posted, what no longer applies taken back.

A platform says how its comments are listed and made; a second run posts nothing twice on any of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from codeopt.review.reporters._api import Api, ApiError
from codeopt.review.reporters._comments import WITHDRAWN
from codeopt.review.reporters._places import Placed, place
from codeopt.review.suggestion import Review

MOST_COMMENTS = 30
"""Most comments next to the lines of one change. More would not be read, and platforms limit their rate."""
REFUSED = {400, 422}
"""Statuses of a comment whose lines the platform does not take."""
GONE = {404, 410}


@dataclass(frozen=True)
class Posted:
    """The comments made on a platform, and what is left to say here."""

    comments: int = 0
    """New comments next to lines of the change."""
    withdrawn: int = 0
    """Earlier ones that no longer apply."""
    output: str = ""
    """Text for standard output: what takes the place of comments where none can be made."""
    notices: tuple[str, ...] = ()
    """Lines for standard error."""
    failed: str = ""
    """The reason why nothing was posted. Empty if all is well."""


@dataclass(frozen=True)
class EarlierText:
    """A comment of an earlier run, or an overview of the suggestions without a place next to a line."""

    path: str
    keys: frozenset[str]
    """Fingerprints of the suggestions in it."""
    answered: bool = False
    """Somebody has replied."""
    stands: bool = True
    """True if its lines are still those of the change."""


@dataclass(frozen=True)
class Platform(ABC):
    """One request to merge on a platform. Its methods raise ApiError."""

    api: Api
    path: str
    head: str
    """The last commit of its branch."""
    head_name: str
    """Name of that commit in a job."""

    @abstractmethod
    def earlier(self) -> tuple[list[EarlierText], list[EarlierText]]:
        """Our own comments and overviews; a mark in somebody else's text means nothing."""

    @abstractmethod
    def post(
        self, offered: Sequence[Placed], rest: Sequence[Placed], overviews: Sequence[EarlierText], review: Review
    ) -> list[Placed]:
        """Make the comments next to lines, and put the rest into an overview.

        Returns those of `offered` whose lines the platform refuses. They are in the overview also.
        """

    @abstractmethod
    def shorten(self, overviews: Sequence[EarlierText], rest: Sequence[Placed], review: Review) -> None:
        """Take out of the overviews what no longer applies."""

    def acceptable(self, item: Placed) -> Placed:
        """The suggestion, without parts where the platform could not show them."""
        return item

    def change(self, text: EarlierText, body: str) -> None:
        self.api.call("PUT", text.path, {"body": body})

    def withdraw(self, text: EarlierText) -> None:
        """Delete it; what was answered keeps its place, without the suggestion."""
        try:
            if text.answered:
                self.change(text, WITHDRAWN)
            else:
                self.api.call("DELETE", text.path)
        except ApiError as error:
            if error.status not in GONE:
                raise


def update(platform: Platform, review: Review) -> Posted:
    """Post what is new, then take back what is gone: of a review that is not whole nobody knows what that is. Raises
    ApiError where nothing can be posted."""
    placed = tuple(map(platform.acceptable, place(review)))
    moved: tuple[str, ...] = ()
    if review.head not in ("", platform.head):  # whose lines may differ
        why = "the review was made of another commit than the last one of the request to merge"
        placed = tuple(without_place(item, why) for item in placed)
        moved = (f"{why}, so no comment is next to its lines; check out {platform.head_name}",)
    comments, overviews = platform.earlier()
    standing = [comment for comment in comments if comment.stands]
    known = {key for each in standing for key in each.keys}
    fresh = [item for item in placed if item.fingerprint not in known]
    offered, rest = _fit(fresh, MOST_COMMENTS - len(standing))
    refused = platform.post(offered, rest, overviews, review)
    made = sum(len(item.parts) for item in offered if item not in refused)
    current = {item.fingerprint for item in placed}
    gone = [each for each in comments if not each.stands or (review.whole and not each.keys & current)]
    try:
        for each in gone:
            platform.withdraw(each)
        if review.whole:
            platform.shorten(overviews, [*rest, *refused], review)
    except ApiError as error:
        return Posted(made, notices=(*moved, f"what no longer applies could not be taken back: {error}"))
    return Posted(made, len(gone), notices=moved)


def without_place(item: Placed, why: str) -> Placed:
    """Return a suggestion that cannot be offered next to lines, with the reason."""
    return replace(item, parts=(), why_not=item.why_not or why)


def _fit(fresh: Iterable[Placed], room: int) -> tuple[list[Placed], list[Placed]]:
    """Split suggestions into those with a place next to lines, each with all parts, and the rest."""
    offered: list[Placed] = []
    rest = []
    for item in fresh:
        if item.parts and len(item.parts) <= room:
            room -= len(item.parts)
            offered.append(item)
        else:
            rest.append(without_place(item, f"there are {MOST_COMMENTS} comments already"))
    return offered, rest
