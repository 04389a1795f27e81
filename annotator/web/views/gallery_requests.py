"""A gallery as a request asks for it: filter, order, view and place, and what was wrong with the address."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest

from annotator.gallery.filters import (
    CHOICES,
    NAMES,
    ORIGINS,
    SCORES,
    SEVERAL,
    TEXTS,
    GalleryFilter,
    divided,
    has_severities,
    query_of,
    read_filter,
)
from annotator.gallery.rows import SORTS, Gallery
from annotator.models import Image, Project
from annotator.projects import overview
from annotator.projects.tags import tags_of
from annotator.web.views.protocol_choice import PARAMETER, ChosenProtocol
from scoring.service import counting_people

CHOICES_SHOWN: Final = 200
VIEWS: Final = {"": "Grid", "compare": "Compare"}
_PLACES: Final = ("after", "before")
_OTHERS: Final = ("sort", "view", "from", "compare", "add", PARAMETER, *_PLACES)


@dataclass(frozen=True)
class Asked:
    """What a request asks for; `place` is the image at which its page begins or, `backwards`, ends."""

    gallery: Gallery
    protocol: ChosenProtocol
    problems: Sequence[tuple[str, str]]
    view: str = ""
    came_from: str = ""
    place: Image | None = None
    backwards: bool = False

    @property
    def back(self) -> tuple[str, str] | None:
        """Title and address of the report section it was opened from; None if it was not."""
        if self.came_from not in ORIGINS:
            return None
        title, address = ORIGINS[self.came_from]
        return title, address(self.gallery.project.slug)

    @property
    def chips(self) -> list[tuple[str, str, str]]:
        """Title and value of each filter in words, with the query string that removes it."""
        return [(title, value, self.query(rest)) for title, value, rest in self.gallery.filter.chips()]

    @property
    def views(self) -> list[tuple[str, str, bool]]:
        """The query string and title of each view, and whether it is shown."""
        return [(self.query(view=name), title, name == self.view) for name, title in VIEWS.items()]

    @property
    def _protocol(self) -> dict[str, str]:
        return {PARAMETER: self.protocol.slug} if self.protocol.several else {}

    @property
    def _others(self) -> dict[str, str]:
        """The parameters beside the filters."""
        others = {"sort": self.gallery.sort, "view": self.view, "from": self.came_from}
        return others | self._protocol

    def query(self, kept: GalleryFilter | None = None, **more: str) -> str:
        """Return the query string of this gallery from its beginning, with some parts replaced."""
        return query_of(self.gallery.filter if kept is None else kept, {**self._others, **more})

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The parameters that a form of filters keeps."""
        return [(name, value) for name, value in self._others.items() if value]

    @property
    def words(self) -> str:
        """The words searched for."""
        return self.gallery.filter.one("q")

    @property
    def marks_query(self) -> str:
        """The query string for the marks of one image: those of the annotator, if there is one."""
        return query_of(GalleryFilter(), {"annotator": self.gallery.filter.code, **self._protocol})

    @property
    def unlisted(self) -> list[tuple[str, str]]:
        """The filters that the form of filters has no field for."""
        kept = self.gallery.filter
        return [(name, value) for name, value in kept.pairs() if name == "q"] + [
            (name, value)
            for name, value in kept.pairs()
            if name in SEVERAL and name != "attribute" and value != kept.one(name)
        ]

    @property
    def all_hidden(self) -> list[tuple[str, str]]:
        """The parameters that a search keeps: all others."""
        return [*self.gallery.filter.without("q").pairs(), *self.hidden]


def asked_of(
    request: HttpRequest, project: Project, chosen: ChosenProtocol, also: Collection[str] = ()
) -> Asked:
    """Return what a request asks for; what cannot be applied is left out and listed as a problem.

    `also` names parameters of the page that are not the gallery's. At most one query.
    """
    given = {name: request.GET.getlist(name) for name in request.GET}
    kept, problems = read_filter(given, chosen.protocol, counts_people=_counts_people(chosen))
    for name in given.keys() - {*NAMES, *_OTHERS, *also}:
        problems.append((f"There is no filter “{name[:40]}”. It was ignored.", "unknown-filter"))
    sort, view, came_from = (
        _known(request, name, known, problems)
        for name, known in (("sort", SORTS), ("view", VIEWS), ("from", ORIGINS))
    )
    name = next((name for name in _PLACES if request.GET.get(name)), "")
    # If that image was deleted, the first page is shown.
    place = _image(project, request.GET[name]) if name else None
    gallery, backwards = Gallery(project, chosen.slug, kept, sort), name == "before" and place is not None
    return Asked(gallery, chosen, problems, view, came_from, place, backwards)


def _counts_people(chosen: ChosenProtocol) -> bool:
    return not {chosen.slug, *chosen.there}.isdisjoint(counting_people())


def _known(request: HttpRequest, name: str, known: Collection[str], problems: list[tuple[str, str]]) -> str:
    value = request.GET.get(name, "")
    if not value or value in known:
        return value
    problems.append((f"“{name}” cannot be “{value[:40]}”. It was ignored.", f"bad-{name}"))
    return ""


def _image(project: Project, text: str) -> Image | None:
    try:
        return project.images.filter(public_id=UUID(text)).first()
    except ValueError:
        return None


def choices_of(asked: Asked) -> list[dict[str, Any]]:
    """Return the fields of the form that adds filters; five queries, made only when it is open.

    A field with a title is a choice if it has values, a number if it is one, otherwise a text.
    """
    project, kept = asked.gallery.project, asked.gallery.filter
    fields: list[dict[str, Any]] = []

    def add(name: str, title: str, values: Iterable[tuple[str, str]] = (), **more: Any) -> None:
        fields.append(
            {"name": name, "title": title, "chosen": kept.one(name), "values": list(values), **more}
        )

    for name in ("generator", "prompt", "prompt_group"):
        values = overview.distinct_values(project, name, CHOICES_SHOWN)
        if kept.one(name) and kept.one(name) not in values:
            values.append(kept.one(name))
        if values:
            add(name, TEXTS[name], [(value, value) for value in values])
    attributes = dict(map(divided, kept.many("attribute")))
    offered = overview.attribute_values(project, CHOICES_SHOWN)
    for place, name in enumerate({**offered, **attributes}):
        values = sorted({*offered.get(name, ()), *filter(None, [attributes.get(name)])})
        chosen = f"{name}={attributes[name]}" if name in attributes else ""
        pairs = [(f"{name}={value}", value) for value in values]
        add("attribute", name, pairs, chosen=chosen, html_id=f"attribute-{place}")
    if tags := list(tags_of(project).values()):
        add("tag", TEXTS["tag"], [(name, name) for name in tags])
    codes = project.memberships.order_by("code").values_list("code", flat=True)[:CHOICES_SHOWN]
    add("annotator", TEXTS["annotator"], [(code, code) for code in codes])
    names = ["flagged", "adjudicated", "disagreement"]
    if has_severities(asked.protocol.protocol):
        names.insert(0, "severity")
    if asked.protocol.protocol.on_cells:
        names[:0] = ["cell", "type", "part"]
    if _counts_people(asked.protocol):
        names.insert(0, "people")
    for name in names:
        title, titles = CHOICES[name]
        add(name, title, titles.items())
    for name, title in SCORES.items():
        add(name, title, number=True)
    return fields
