"""The input of layouts: filtered annotations, the project's weights, annotators' names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, TypeVar

from django.db.models import Expression

from analysis.data.ratings_table import adjudicated, shown_from
from analysis.exports.columns import Dialect
from analysis.exports.filters import Filters, answers
from analysis.exports.rows import PAYLOAD, AnnotationRow, annotation_rows, in_chunks
from analysis.pseudonyms import pseudonym, pseudonyms
from annotator.exchange.which_image import image_ids
from annotator.inputs.refusal import Refusal
from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.projects.tags import MOST, tags_of

Watch = Callable[[int], None]
Made = TypeVar("Made")
Kept = dict[tuple[Callable[[Project, str], Any], str], Any]
"""What files of one moment share: by what read it, and the protocol."""
TOLD_EVERY = 500


class ExportRefused(Refusal, ValueError):
    """The export cannot be made; the message gives reason and repair."""


def attribute_names(project: Project) -> list[str]:
    """Return the names of all attributes of a project's images, sorted."""
    rows = project.images.exclude(attributes={}).order_by().values_list("attributes", flat=True).distinct()
    return sorted({name for attributes in list(rows) for name in attributes})


def unwatched(_: int) -> None:
    """Ignore progress."""


class ExportSource:
    """One pass over a project for an export; `watch` receives the number of annotations read so far.

    `kept` is shared by files that are made of the same moment, so that `once` reads for all of them.
    `not_counted` are matching annotations without numbers in the layout, by reason; `remarks` are sentences
    on the file.
    """

    def __init__(
        self,
        project: Project,
        filters: Filters,
        dialect: Dialect,
        *,
        hidden: bool,
        protocol: str = DEFAULT_PROTOCOL,
        watch: Watch = unwatched,
        kept: Kept | None = None,
    ) -> None:
        self.project = project
        self.protocol = protocol
        # The protocol of the annotations, if they are converted.
        self.source = shown_from(project, protocol)
        self.filters = filters
        self.dialect = dialect
        self.hidden = hidden
        self._watch = watch
        self._kept = {} if kept is None else kept
        self._read = 0
        self.lines = 0
        self.not_counted: Counter[str] = Counter()
        self.remarks: list[str] = []

    @cached_property
    def _pseudonyms(self) -> dict[str, str]:
        return dict(pseudonyms(self.project))

    @cached_property
    def image_ids(self) -> dict[int, str]:
        """The Image Ids by the primary keys of the images."""
        return image_ids(self.project)

    @cached_property
    def attributes(self) -> list[str]:
        """The names of the attributes of the project's images, sorted."""
        return attribute_names(self.project)

    @cached_property
    def tags(self) -> list[tuple[int, str]]:
        """The number and the name of each tag the project can have; 0 and nothing for one it has not."""
        return [*tags_of(self.project).items(), *[(0, "")] * MOST][:MOST]

    def name(self, code: str) -> str:
        """Return the annotator's name in the file: code or pseudonym."""
        if not self.hidden:
            return code
        if code not in self._pseudonyms:
            # A stored report may contain an earlier code.
            self._pseudonyms[code] = pseudonym(self.project.pk, f"code {code}")
        return self._pseudonyms[code]

    def decided(self) -> dict[int, Any]:
        """Return the adjudicated payloads by image, only for the purpose work."""
        if not self.filters.of_work:
            return {}
        return dict(adjudicated(self.project, self.source).order_by().values_list("image_id", "payload"))

    def rows(self, order: tuple[str, ...] = ("pk",), said: Expression = PAYLOAD) -> Iterator[AnnotationRow]:
        """Yield the matching annotations as rows; `said` is the expression to read of each."""
        found = answers(self.project, self.filters, self.source).order_by(*order)
        return self._told(annotation_rows(found, self.image_ids, said))

    def every(self, *fields: str | Expression) -> Iterator[tuple[Any, ...]]:
        """Yield these fields of the submitted annotations of the project, ignoring filters."""
        found = answers(self.project, Filters(), self.source).order_by("pk")
        return self._told(in_chunks(found, *fields))

    def once(self, read: Callable[[Project, str], Made]) -> Made:
        """Return what `read` returns of the project under the protocol of its annotations, read once."""
        key = (read, self.source)
        if key not in self._kept:
            self._kept[key] = read(self.project, self.source)
        found: Made = self._kept[key]
        return found

    def _told(self, rows: Iterator[Made]) -> Iterator[Made]:
        for row in rows:
            self._read += 1
            if self._read % TOLD_EVERY == 0:
                self._watch(self._read)
            yield row

    def counted(self, lines: Iterator[Made]) -> Iterator[Made]:
        """Yield the lines of a file, counting them in `lines`."""
        for line in lines:
            self.lines += 1
            yield line
