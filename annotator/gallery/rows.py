"""The images of a gallery: which they are, how many, and those before and after one.

A page begins where another ends (keyset), so the last page costs what the first does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import In

from annotator.gallery.filters import GalleryFilter, divided
from annotator.models import Image, ImageSummary, Project
from annotator.models.images import IS_STUDIED, AttributeText
from annotator.models.prompts import of_prompt
from annotator.projects.tags import tags_of
from scoring.payloads import bits_of
from scoring.people import BANDS
from scoring.protocol import Protocol
from scoring.service import counting_people

COUNTED: Final = 10_000
"""More images are not counted: the page says `10,000+`."""
SORTS: Final = {
    "": "Name",
    "high": "Most errors",
    "low": "Fewest errors",
    "disagreement": "Most disagreement",
    "new": "Newest",
}
_BETTER_IF_HIGHER: Final = {"high": "Highest score", "low": "Lowest score"}
# Sorted by a field of a summary, in which direction.
_BY_SUMMARY: Final = {"high": ("score", "-"), "low": ("score", ""), "disagreement": ("spread", "-")}
_LAST: Final = 2**31 - 1

Rows = QuerySet[Any, Any]
Key = tuple[Any, ...]


def sorts_of(protocol: Protocol) -> dict[str, str]:
    """Return the titles of the orders under a protocol."""
    return SORTS | (_BETTER_IF_HIGHER if protocol.headline.higher_is_better else {})


@dataclass(frozen=True)
class _Phase:
    """Images in one order; `known` are all of the project, to find where an image stands.

    `image` is the field with the image's id, the last of the `order`.
    """

    rows: Rows
    known: Rows
    order: tuple[str, ...]

    @property
    def fields(self) -> list[str]:
        return [field.lstrip("-") for field in self.order]

    def key(self, image: int) -> Key | None:
        rows = self.known.filter(**{self.fields[-1]: image})
        return rows.values_list(*self.fields).first()

    def take(self, number: int, start: Key | None, *, backwards: bool) -> list[int]:
        """Return the next images from a place, in walking order."""
        order = [_turned(field) for field in self.order] if backwards else list(self.order)
        rows = self.rows.order_by(*order).values_list(self.fields[-1], flat=True)
        if start is None:
            return list(rows[:number])
        ids: list[int] = []
        for condition in _ranges(order, start):
            if len(ids) < number:
                ids += rows.filter(condition)[: number - len(ids)]
        return ids


@dataclass(frozen=True)
class Gallery:
    """The images of a project that match a filter under a protocol, in one of `SORTS`."""

    project: Project
    protocol: str
    filter: GalleryFilter
    sort: str = ""

    def count(self) -> int:
        """Return the number of images; COUNTED + 1 stands for any larger number."""
        rows = self._scored() if self._asks_summaries else self._images()
        return rows.order_by().values("pk")[: COUNTED + 1].count()

    def first(self, number: int) -> list[int]:
        """Return the ids of the first images."""
        return _walk(self._phases(), number, 0, None, backwards=False)

    def after(self, image: int, number: int) -> list[int]:
        """Return the ids of the images after one of the project, which need not match."""
        return self._from(image, number, backwards=False)

    def before(self, image: int, number: int) -> list[int]:
        """Return the ids of the images before one of the project, the nearest last."""
        return self._from(image, number, backwards=True)[::-1]

    def beside(self, image: int) -> tuple[int | None, int | None]:
        """Return the ids of the images before and after one of the project, which need not match."""
        phases, (place, key) = self._phases(), self._standing(image)
        ids = [_walk(phases, 1, place, key, backwards=backwards) for backwards in (True, False)]
        before, after = (neighbours[0] if neighbours else None for neighbours in ids)
        return before, after

    def summaries(self, images: list[int]) -> dict[int, ImageSummary]:
        """Return the summaries shown with these images: the annotator's, or those of all; one query."""
        rows = self._known().filter(image__in=images)
        return {row.image_id: row for row in rows}

    def _from(self, image: int, number: int, *, backwards: bool) -> list[int]:
        place, key = self._standing(image)
        return _walk(self._phases(), number, place, key, backwards=backwards)

    def _standing(self, image: int) -> tuple[int, Key | None]:
        """Return the phase of an image and its place there; the beginning for an image of no phase."""
        for place, phase in enumerate(self._phases()):
            key = phase.key(image)
            if key is not None:
                return place, key
        return 0, None

    def _phases(self) -> list[_Phase]:
        images, known = self._images(), self.project.images.all()
        if self.sort not in _BY_SUMMARY:
            if self.sort == "new":
                return [_Phase(images, known, ("-pk",))]
            # Databases disagree where empty numbers stand.
            place = Coalesce(F("number"), Value(_LAST))
            order = ("generator", "prompt__key", "place", "pk")
            return [_Phase(images.annotate(place=place), known.annotate(place=place), order)]
        name, sign = _BY_SUMMARY[self.sort]
        scored, ranked = self._scored(), self._known()
        if name == "spread" and self.filter.code:
            name, of_all = "spread_of_all", Subquery(self._of_all().values("spread"))
            scored, ranked = scored.annotate(spread_of_all=of_all), ranked.annotate(spread_of_all=of_all)
        there = {f"{name}__isnull": False}
        ranked = ranked.filter(**there)
        # Images without a value come last.
        others = images.exclude(Exists(ranked.filter(image=OuterRef("pk"))))
        return [
            _Phase(scored.filter(**there), ranked, (f"{sign}{name}", f"{sign}image")),
            _Phase(others, known, ("pk",)),
        ]

    @property
    def _asks_summaries(self) -> bool:
        names = {*self.filter.values} - {"generator", "prompt", "prompt_group", "attribute", "q"}
        return bool(names)

    def _known(self) -> QuerySet[ImageSummary]:
        return ImageSummary.objects.filter(
            project=self.project, protocol=self.protocol, code=self.filter.code
        )

    def _of_all(self) -> QuerySet[ImageSummary]:
        """Return the summary for all annotators of the image of an outer summary."""
        return ImageSummary.objects.filter(image=OuterRef("image"), protocol=self.protocol, code="")

    def _scored(self) -> QuerySet[ImageSummary]:
        """Return the summaries that match, with their images."""
        rows = self._matching().filter(self._of_images("image__"))
        words = self.filter.one("q")
        if not words:
            return rows
        # Found once, instead of by looking up the image of every summary.
        said = self.project.images.filter(_named_like(words)).order_by().values("pk")
        return rows.filter(Q(image__in=said) | _noted(words))

    def _images(self) -> QuerySet[Image]:
        """Return the images that match."""
        images = self.project.images.filter(IS_STUDIED, self._of_images())
        if self._asks_summaries:
            images = images.filter(Exists(self._matching().filter(image=OuterRef("pk"))))
        words = self.filter.one("q")
        if words:
            noted = self._known().filter(_noted(words), image=OuterRef("pk"))
            images = images.filter(_named_like(words) | Exists(noted))
        return images

    def _of_images(self, prefix: str = "") -> Q:
        condition = Q()
        if generators := self.filter.many("generator"):
            condition &= Q((f"{prefix}generator__in", generators))
        if prompt := self.filter.one("prompt"):
            condition &= of_prompt(prompt, prefix)
        if group := self.filter.one("prompt_group"):
            condition &= Q((f"{prefix}prompt_group", group))
        by_name: dict[str, list[str]] = {}
        for name, value in map(divided, self.filter.many("attribute")):
            by_name.setdefault(name, []).append(value)
        for name, values in by_name.items():
            condition &= Q(In(AttributeText(f"{prefix}attributes", name), values))
        return condition

    def _matching(self) -> QuerySet[ImageSummary]:
        """Return the summaries that match, whatever their images."""
        rows, mask = self._known(), self.filter.mask
        if mask is not None:
            rows = rows.alias(hits=F(self.filter.marked_field).bitand(mask)).filter(hits__gt=0)
        if self.filter.one("flagged"):
            rows = rows.filter(flagged=True)
        for name, column in (("adjudicated", "adjudicated"), ("disagreement", "apart")):
            if self.filter.one(name):
                shared = Q((column, True))
                rows = rows.filter(Exists(self._of_all().filter(shared)) if self.filter.code else shared)
        if band := self.filter.one("people"):
            least, most = BANDS[band]
            counted = Q(people__gte=least) if most is None else Q(people__range=(least, most))
            if self.protocol not in counting_people():
                # Whoever counted the people of the image did so under another protocol.
                known = ImageSummary.objects.filter(counted, image=OuterRef("image"), code="")
                counted = Q(Exists(known.filter(protocol__in=counting_people())))
            rows = rows.filter(counted)
        if tag := self.filter.one("tag"):
            mask = bits_of(number for number, name in tags_of(self.project).items() if name == tag)
            rows = rows.alias(ticked=F("tags").bitand(mask)).filter(ticked__gt=0)
        if len(self.filter.many("annotator")) > 1:
            of_each = ImageSummary.objects.filter(image=OuterRef("image"), protocol=self.protocol)
            for code in self.filter.many("annotator"):
                rows = rows.filter(Exists(of_each.filter(code=code)))
        low, high = self.filter.scores
        if low is not None:
            rows = rows.filter(score__gte=low)
        return rows if high is None else rows.filter(score__lt=high)


def _walk(phases: list[_Phase], number: int, place: int, key: Key | None, *, backwards: bool) -> list[int]:
    """Return images from a place in one phase, then from the phases beyond it."""
    ids = phases[place].take(number, key, backwards=backwards)
    for phase in reversed(phases[:place]) if backwards else phases[place + 1 :]:
        if len(ids) < number:
            ids += phase.take(number - len(ids), None, backwards=backwards)
    return ids


def _named_like(words: str) -> Q:
    return Q(prompt__icontains=words) | Q(source_name__icontains=words)


def _noted(words: str) -> Q:
    return Q(notes__contains=words.casefold())


def _turned(name: str) -> str:
    return name.removeprefix("-") if name.startswith("-") else f"-{name}"


def _ranges(order: list[str], start: Key) -> Iterator[Q]:
    """Yield conditions for the rows after a key, the nearest first: each is one range of an index.

    Joined by OR, they would be none, and every row of the key's first value would be read.
    """
    fields = [field.lstrip("-") for field in order]
    for last in reversed(range(len(order))):
        same = Q(*zip(fields[:last], start[:last], strict=True))
        beyond = "lt" if order[last].startswith("-") else "gt"
        yield same & Q((f"{fields[last]}__{beyond}", start[last]))
