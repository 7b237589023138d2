"""Stories: pages that tell the same, grouped by shared fingerprints (S0)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from webprep_spider.replicas.classes import (
    centres_of,
    connected_classes,
    divide_loose,
    incidence,
    lloyd,
    members_of,
    middle_of,
    without_boilerplate,
)
from webprep_spider.replicas.fingerprint import fingerprints
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webprep_spider.replicas.classes import Labels, Sparse


class Fingerprinted(Protocol):
    """What :func:`group` reads of a page; a docview is one."""

    @property
    def identifier(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def fingerprints(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class StoryPage:
    """A page as a story holds it; ``text`` is only there when it was asked for."""

    identifier: str
    title: str = ""
    fingerprints: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """Pages that tell the same. ``identifier`` and ``title`` are those of the page that shares most with the others."""

    identifier: str
    title: str
    members: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"story": self.identifier, "title": self.title, "size": len(self.members), "members": list(self.members)}


@dataclass(frozen=True, slots=True)
class Grouping:
    """All stories, the largest first, single pages among them; ``k`` of S0.S4 is ``classes``.

    ``inertia`` is J of each iteration of k-means (S0.K4), empty where it was not asked for; ``moved`` counts the pages
    that k-means put into another story than their class.
    """

    stories: tuple[Story, ...]
    pages: int
    classes: int
    inertia: tuple[float, ...] = ()
    moved: int = 0


@dataclass(slots=True)
class Reading:
    """Pages read from a file of docviews, and one sentence for each line that could not be used."""

    pages: list[StoryPage] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def read_pages(lines: Iterable[str], rules: Rules = DEFAULT_RULES, *, texts: bool = False) -> Reading:
    """Docviews in JSON lines. Lines that are damaged, have no identifier or repeat one are reported, all others kept.

    A docview without fingerprints gets those of its body. ``texts`` keeps the bodies too, for :func:`group_by_words`.
    """
    reading = Reading()
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            cut = "" if line.endswith("\n") else ", the line seems to be cut off"
            reading.faults.append(f"line {number}: not JSON ({error}){cut}")
            continue
        identifier = record.get("identifier") if isinstance(record, dict) else None
        if not isinstance(identifier, str) or not identifier:
            reading.faults.append(f"line {number}: no docview, it has no identifier")
            continue
        if identifier in seen:
            reading.faults.append(
                f"line {number}: {identifier} was on line {seen[identifier]} already; the first counts"
            )
            continue
        seen[identifier] = number
        title, body, prints = (record.get(name) for name in ("title", "body", "fingerprints"))
        title = title if isinstance(title, str) else ""
        body = body if isinstance(body, str) else ""
        if isinstance(prints, list) and all(isinstance(value, str) for value in prints):
            kept = tuple(prints)
        else:
            reading.faults.append(f"line {number}: {identifier} has no fingerprints; those of its body are taken")
            kept = fingerprints(body.split("\n"), title, rules)
        reading.pages.append(StoryPage(identifier, title, kept, body if texts else ""))
    if not reading.pages and not reading.faults:
        reading.faults.append("the file is empty")
    return reading


def group(
    pages: Iterable[Fingerprinted], rules: Rules = DEFAULT_RULES, *, kmeans: bool = True, split_loose: bool = False
) -> Grouping:
    """Group pages into stories; the result does not depend on the order of the pages.

    Pairs whose ST is at least ``rules.class_share`` are of one class, classes are connected (S0.S4), and their number
    is k. ``kmeans`` then starts with one centre a class (S0.K3), similarity being the number of shared fingerprints
    (S0.K4). ``split_loose`` first divides classes whose mean ST is lower than that share (7.15).
    """
    known = sorted(pages, key=lambda page: (sorted(page.fingerprints), page.identifier))
    if not known:
        return Grouping((), 0, 0)
    matrix = without_boilerplate(incidence(page.fingerprints for page in known), rules.class_share)
    classes = connected_classes(matrix, rules.class_share)
    if split_loose:
        classes = divide_loose(matrix, classes, rules.class_share)
    labels, inertia = lloyd(matrix, centres_of(matrix, classes)) if kmeans else (classes, ())
    moved = 0 if not kmeans else int((labels != classes).sum())
    return Grouping(_stories(known, matrix, labels), len(known), int(classes.max()) + 1, inertia, moved)


def group_by_words(pages: Iterable[StoryPage], k: int, *, seed: int = 0) -> Grouping:
    """The usual way, for comparison: k-means over TF-IDF vectors of the words of the texts, with a given k."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.feature_extraction.text import TfidfVectorizer

    known = sorted(pages, key=lambda page: page.identifier)
    if not known:
        return Grouping((), 0, 0)
    matrix = incidence(page.fingerprints for page in known)
    vectoriser = TfidfVectorizer(analyzer=words_of, sublinear_tf=True, max_features=20_000, dtype=np.float32)
    try:
        vectors = vectoriser.fit_transform(page.text or page.title for page in known)
    except ValueError:  # not one word in all the texts
        return Grouping(_stories(known, matrix, np.arange(len(known))), len(known), len(known))
    means = MiniBatchKMeans(min(k, len(known)), n_init=1, random_state=seed, batch_size=1024, reassignment_ratio=0)
    labels = np.unique(means.fit_predict(vectors), return_inverse=True)[1]
    stories = _stories(known, matrix, labels)
    return Grouping(stories, len(known), len(stories), (float(means.inertia_),))


def words_of(text: str) -> list[str]:
    """Words of other scripts and pairs of neighbouring Chinese characters, without a dictionary."""
    words = []
    for word in "".join(char if char.isalnum() else " " for char in text[:6000].casefold()).split():
        if "\u4e00" <= word[0] <= "\u9fff":
            words += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            words.append(word)
    return words


def _stories(pages: Sequence[Fingerprinted], matrix: Sparse, labels: Labels) -> tuple[Story, ...]:
    stories = []
    for members in members_of(labels):
        middle = pages[middle_of(matrix, members)]
        stories.append(Story(middle.identifier, middle.title, tuple(sorted(pages[at].identifier for at in members))))
    return tuple(sorted(stories, key=lambda story: (-len(story.members), story.identifier)))
