"""One prompt's images from best to worst; equal scores are side by side and share a place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, OuterRef

from analysis.data.ratings_table import shown_from, submitted
from analysis.protocols.registry import numbers_of
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES
from annotator.data_sets.settings import invalid_from_of
from annotator.models import Image, ImageSummary, Project
from annotator.models.data_sets import IS_GENERATED
from annotator.models.prompts import of_prompt
from scoring.prompts import prompt_key
from scoring.service import get_protocol

READ: Final = 1_000
"""Images of a prompt that are read at most."""
TRIED: Final = 10
"""Prompts of which the first with a score is shown by default."""
SHOWN: Final = 60
"""Images that a strip shows at most, then those at equal steps of rank."""
# Scores are sums of fractions with small denominators: smaller gaps are only rounding.
DECIMALS: Final = 9


@dataclass(frozen=True)
class Placed:
    """An image at its place, counted from 1; images with equal scores share it."""

    image: Image
    place: int
    score: str


@dataclass(frozen=True)
class BestToWorst:
    """A prompt's scored images, best first, in `groups` of equal scores.

    `scored` of them have a score, `unscored` none; `not_read` were too many to read. Real images are in
    none of these. `higher_is_better` says which way. `previous` and `next` are the prompts before and after
    it, empty at the ends. From `invalid_from` invalid votes on, an image has no score.
    """

    prompt: str
    groups: Sequence[Sequence[Placed]]
    scored: int
    unscored: int
    not_read: int
    higher_is_better: bool
    invalid_from: int
    previous: str
    next: str

    @property
    def shown(self) -> list[Placed]:
        """Return the images in order."""
        return [one for group in self.groups for one in group]


def best_to_worst(project: Project, protocol: str, prompt: str | None) -> BestToWorst | None:
    """Return a prompt's images from best to worst; None without such images.

    By default, the first prompt with a score among the first `TRIED` with annotations, else the first one.
    Reads `READ` images at most, in eight queries; each prompt that is tried takes as many.
    """
    if prompt is None:
        first, found = _firsts(project, protocol), None
        for each in first:
            tried = best_to_worst(project, protocol, each)
            if tried is not None and tried.groups:
                return tried
            found = found or tried
        return found
    generated = project.images.filter(IS_GENERATED, goes_at=None)
    names = generated.order_by("prompt__key").values_list("prompt", flat=True)
    of_it = generated.filter(of_prompt(prompt)).order_by("pk")
    ids = list(of_it.values_list("pk", flat=True)[:READ])
    if not ids:
        return None
    invalid_from = invalid_from_of(project, protocol)
    scores = _scores(project, protocol, ids, invalid_from)
    higher = get_protocol(protocol).headline.higher_is_better
    ordered = sorted(scores.items(), key=lambda entry: (-entry[1] if higher else entry[1], entry[0]))
    places: dict[float, int] = {}
    for at, (_, score) in enumerate(ordered, 1):
        places.setdefault(score, at)
    step = max(1.0, len(ordered) / SHOWN)
    drawn = [ordered[int(at * step)] for at in range(min(len(ordered), SHOWN))]
    images = Image.objects.in_bulk([pk for pk, _ in drawn])
    groups: dict[int, list[Placed]] = defaultdict(list)
    for pk, score in drawn:
        if pk in images:
            groups[places[score]].append(Placed(images[pk], places[score], rounded(score, PLACES)))
    own = prompt_key(prompt)
    return BestToWorst(
        prompt=prompt,
        groups=list(groups.values()),
        scored=len(ordered),
        unscored=len(ids) - len(ordered),
        not_read=max(0, of_it.count() - READ) if len(ids) == READ else 0,
        higher_is_better=higher,
        invalid_from=invalid_from,
        previous=names.filter(prompt__key__lt=own).reverse().first() or "",
        next=names.filter(prompt__key__gt=own).first() or "",
    )


def _firsts(project: Project, protocol: str) -> list[str]:
    """Return the first prompts with annotations, else the first prompt, in two queries."""
    generated = project.images.filter(IS_GENERATED, goes_at=None).order_by("prompt__key")
    made = submitted(project, shown_from(project, protocol)).filter(assignment__image=OuterRef("pk"))
    prompts = generated.values_list("prompt__key", "prompt").distinct()
    found = list(prompts.filter(Exists(made))[:TRIED]) or list(prompts[:1])
    return [prompt for _, prompt in found]


def _scores(project: Project, protocol: str, ids: Sequence[int], invalid_from: int) -> dict[int, float]:
    """Return image → score: the protocol's own, else the mean of the headline or the adjudicated value."""
    source, score = shown_from(project, protocol), numbers_of(protocol).score
    if score is None:
        rows = ImageSummary.objects.filter(image__in=ids, protocol=source, code="", score__isnull=False)
        found: Mapping[int, float | None] = dict(rows.values_list("image", "score"))
    else:
        # The latest annotation of each annotator counts.
        latest: dict[int, dict[int, Any]] = defaultdict(dict)
        made = submitted(project, source).filter(assignment__image__in=ids).order_by("submitted_at", "pk")
        fields = ("assignment__image", "assignment__annotator", "ratings")
        for image, annotator, ratings in made.values_list(*fields):
            latest[image][annotator] = ratings
        found = {image: score(list(own.values()), invalid_from) for image, own in latest.items()}
    return {image: round(value, DECIMALS) for image, value in found.items() if value is not None}
