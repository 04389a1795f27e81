"""The request for a bundle, and the source of all its parts: project, names of people, how they are told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, NamedTuple

from django.core.files.storage import default_storage
from django.db.models import Count, Max, Q, QuerySet, Sum

from analysis.data.metrics import metrics_digest
from analysis.exports.columns import CSV, Line
from analysis.exports.filters import Filters
from analysis.exports.registry import known_protocol
from analysis.exports.requests import EXPORTED
from analysis.exports.rows import in_chunks
from analysis.exports.source import ExportSource, Kept, attribute_names
from analysis.models import Report
from annotator.faces.blurring import open_blurred
from annotator.images.decoding import SUFFIXES, UnreadableImage
from annotator.models import (
    Adjudication,
    Annotation,
    Assignment,
    Batch,
    Event,
    Image,
    Membership,
    Project,
)
from annotator.models.work import DEFAULT_PROTOCOL
from scoring.formula_guard import guarded

BUNDLED: Final = "bundled"
"""The verb of the Event of a bundle."""

LONGEST_LICENCE: Final = 200
LONGEST_REASON: Final = 400
_IDENTIFIER: Final = re.compile(r"[-A-Za-z0-9._]+")
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"]+")


@dataclass(frozen=True)
class BundleRequest:
    """`pictures`: include image files, not only hashes. `hidden`: pseudonyms instead of codes.

    `licence` is an identifier such as CC-BY-4.0, a URL, or empty. Without `reports`, nothing is computed or
    drawn, which is much faster. `with_faces` is why faces are shown that batches blur; empty: none is.
    """

    pictures: bool = True
    hidden: bool = False
    licence: str = ""
    reports: bool = True
    with_faces: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the JSON that `from_json` reads."""
        return {**self.told(), "reports": self.reports}

    def told(self) -> dict[str, Any]:
        """Return the choices as recorded in project.json."""
        faces = {"with_faces": self.with_faces} if self.with_faces else {}
        return {"pictures": self.pictures, "pseudonyms": self.hidden, "licence": self.licence, **faces}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BundleRequest:
        """Return the request that `as_json` wrote."""
        return cls(
            data["pictures"],
            data["pseudonyms"],
            data["licence"],
            data["reports"],
            data.get("with_faces", ""),
        )

    def in_words(self) -> str:
        """Return the choices as text."""
        said = ["with images" if self.pictures else "hashes of images"]
        said += [f"with faces: {self.with_faces}"] * bool(self.with_faces)
        said += ["pseudonyms"] * self.hidden + ["without reports"] * (not self.reports)
        return "; ".join(said + [self.licence] * bool(self.licence))


def read_licence(text: str) -> str:
    """Return the licence to write into the bundle; raise ValueError with the repair."""
    typed = text.strip()
    fits = not typed or _IDENTIFIER.fullmatch(typed) or _ADDRESS.fullmatch(typed)
    if not fits or len(typed) > LONGEST_LICENCE:
        raise ValueError("Enter the licence's short name, such as CC-BY-4.0, or its web address.")
    return typed


# Events that do not change the content of a bundle.
HARMLESS: Final = (BUNDLED, EXPORTED, "job_cancelled")

BATCH_FIELDS: Final = (
    *("name", "protocol", "overlap", "per_image", "seed", "status"),
    *("show_prompt", "show_generator", "guided", "score_shown", "created_at"),
    *("prompt_seen", "generator_seen"),
)
# The bundle's name of a field that is called otherwise here.
PUBLISHED: Final = {"per_image": "coders"}


class File(NamedTuple):
    """One file of a bundle and its contents."""

    name: str
    contents: Callable[[], Iterable[bytes]]
    packed: bool = True


class BundleSource:
    """A project as a bundle reads it, without batches in preparation."""

    def __init__(self, project: Project, request: BundleRequest, alive: Callable[[], None]) -> None:
        self.project = project
        self.request = request
        self.alive = alive
        # What several tables are made of is read once, and the tables agree.
        self.kept: Kept = {}
        self.name: Callable[[str], str] = ExportSource(project, Filters(), CSV, hidden=request.hidden).name

    @cached_property
    def protocols(self) -> list[str]:
        """Return the protocols of the batches, else those chosen; raise ExportRefused for an unknown one."""
        found = sorted(set(self.batches.order_by().values_list("protocol", flat=True)))
        return [known_protocol(slug) for slug in found or self.project.protocols or [DEFAULT_PROTOCOL]]

    @property
    def is_named(self) -> bool:
        """Return whether files name their protocol."""
        return len(self.protocols) > 1

    def named(self, protocol: str, name: str) -> str:
        """Return the name of a protocol's table or folder: `presence-scores`."""
        return f"{protocol}-{name}" if self.is_named else name

    def titled(self, protocol: str, title: str) -> str:
        """Return a title with the protocol, if files name it."""
        return f"{title} ({protocol})" if self.is_named else title

    @cached_property
    def attributes(self) -> list[str]:
        """Return the names of the attributes of the images."""
        return attribute_names(self.project)

    @property
    def batches(self) -> QuerySet[Batch]:
        """Return the batches in order of creation."""
        return self.project.batches.order_by("pk")

    @property
    def images(self) -> QuerySet[Image]:
        """Return the images in stored order."""
        return self.project.images.order_by("pk")

    @cached_property
    def rows_of_images(self) -> dict[int, int]:
        """Return the row of each image in data/pictures.csv by id."""
        return places_of(self.images)

    @property
    def assignments(self) -> QuerySet[Assignment]:
        """Return the assignments in stored order."""
        held = Assignment.objects.filter(batch__in=self.batches.order_by())
        return held.order_by("pk")

    @property
    def annotations(self) -> QuerySet[Annotation]:
        """Return the annotations in stored order, including drafts."""
        return Annotation.objects.filter(assignment__in=self.assignments.order_by()).order_by("pk")

    @property
    def adjudications(self) -> QuerySet[Adjudication]:
        """Return the adjudications by image and protocol, including withdrawn ones."""
        return Adjudication.objects.filter(image__in=self.images.order_by()).order_by("image_id", "protocol")

    @property
    def people(self) -> QuerySet[Membership]:
        """Return the members in the data: annotators, past assignees, and those who adjudicated."""
        held = Assignment.objects.filter(batch__project=self.project).order_by().values("annotator")
        annotators = Q(role=Membership.Role.ANNOTATOR)
        decided = Q(pk__in=self.adjudications.order_by().values("decided_by"))
        found = annotators | Q(pk__in=held) | decided
        return self.project.memberships.filter(found).order_by("pk")

    @property
    def is_blurred(self) -> bool:
        """Return whether images are copies with blurred faces instead of the originals."""
        return self.project.blurs_faces and not self.request.with_faces

    @cached_property
    def lost(self) -> frozenset[int]:
        """Return the images without a file: missing in storage, or without a blurred copy where faces are
        blurred, such as those whose faces nobody has decided on; none if files are not included.
        """
        if not self.request.pictures:
            return frozenset()
        if self.is_blurred:
            # Making a copy stores its state, for which no query may be open on SQLite.
            return frozenset(image.pk for image in list(self.images) if not _has_copy(image))
        rows = in_chunks(self.images, "pk", "file")
        return frozenset(pk for pk, file in rows if not default_storage.exists(file))

    def place_of(self, pk: int, sha256: str, form: str) -> str | None:
        """Return an image's path in the bundle; None if only its hash is included."""
        if not self.request.pictures or pk in self.lost:
            return None
        return f"images/{sha256}.{'webp' if self.is_blurred else SUFFIXES[form]}"

    def fingerprint(self) -> tuple[Any, ...]:
        """Return a value that changes whenever the bundle's content would."""
        project = Project.objects.get(pk=self.project.pk)
        events = Event.objects.filter(project=project).exclude(verb__in=HARMLESS)
        reports = Report.objects.filter(project=project, status=Report.Status.DONE)
        counted = self.annotations.order_by().aggregate(Count("pk"), Sum("version"), Max("saved_at"))
        given = self.assignments.order_by().aggregate(Count("pk"), Sum("position"))
        return (
            project.name,
            str(project.weights),
            *counted.values(),
            *given.values(),
            self.images.count(),
            metrics_digest(project),
            events.order_by("-pk").values_list("pk", flat=True).first(),
            reports.order_by("-pk").values_list("pk", flat=True).first(),
        )


def _has_copy(image: Image) -> bool:
    try:
        open_blurred(image, webp=True).close()
    except UnreadableImage:
        return False
    return True


def pretty(value: object) -> bytes:
    """Return indented JSON with keys in given order."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def moment(value: datetime | None) -> str | None:
    """Return a time in UTC to the microsecond."""
    return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}" if value else None


def batch_rows(source: BundleSource) -> list[dict[str, Any]]:
    """Return the batches, without seeds under pseudonyms, which would confirm a guessed code."""
    found = []
    places = places_of(source.batches)
    fields = (*BATCH_FIELDS, "settings", "follows_id", "needs_standing")
    for *values, settings, follows, needed in source.batches.values_list(*fields):
        row = {PUBLISHED.get(name, name): value for name, value in zip(BATCH_FIELDS, values, strict=True)}
        # Most protocols have no further settings, and most batches follow none.
        row |= {"settings": settings} if settings else {}
        row |= {"follows": places[follows]} if follows in places else {}
        row |= {"needs_standing": True} if needed else {}
        row |= {"overlap": str(row["overlap"]), "created_at": moment(row["created_at"])}
        found.append(row | ({"seed": None} if source.request.hidden else {}))
    return found


def people_rows(source: BundleSource) -> list[dict[str, Any]]:
    """Return the annotators under their names in the bundle."""
    people: Iterable[Membership] = source.people
    return [{"code": source.name(one.code), "is_active": one.is_active} for one in people]


def places_of(rows: QuerySet[Any]) -> dict[int, int]:
    """Return the position of each row by id, counted from 1."""
    return {pk: place for place, pk in enumerate(rows.values_list("pk", flat=True), 1)}


def safe_line(line: list[Any]) -> Line:
    """Return a line of a table whose texts no spreadsheet takes for formulas."""
    return [guarded(value) if isinstance(value, str) else value for value in line]
