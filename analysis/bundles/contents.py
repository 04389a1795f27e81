"""The files of a bundle in name order, and the bundle as pieces of a zip."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any, Final

from django.core.files.storage import default_storage
from django.utils.text import slugify

from analysis.bundles.data_sets import data_set_counts, data_set_files, data_set_settings
from analysis.bundles.datapackage import BUNDLE, VERSION, data_package
from analysis.bundles.dictionary import Described
from analysis.bundles.drawing import Drawer
from analysis.bundles.faces import FACES, face_counts, face_rows
from analysis.bundles.guidelines import GUIDELINES, guideline_rows, guideline_texts, versions_in
from analysis.bundles.messages import announcement_rows, question_rows, reply_rows
from analysis.bundles.norming import (
    COMMENTS,
    IMAGES,
    SESSIONS,
    comment_rows,
    normed_rows,
    norming_counts,
    session_rows,
)
from analysis.bundles.readme import readme
from analysis.bundles.references import REFERENCES, reference_rows
from analysis.bundles.reports import Told, bundled_reports, methods_text, report_files
from analysis.bundles.rows import (
    adjudication_rows,
    annotation_rows,
    assignment_rows,
    batch_rows,
    image_rows,
    json_lines,
    moment,
    people_rows,
    places_of,
    pretty,
)
from analysis.bundles.source import BundleSource, in_chunks
from analysis.bundles.standings import counts_in, standing_files
from analysis.bundles.tables import data_tables
from analysis.bundles.zipping import Written, Zip
from analysis.data.study import reproduction_page
from analysis.protocols.registry import numbers_of
from analysis.tables.blinding import answered, seen_sentences
from annotator.batches.plan_verification import document_of
from annotator.models import Plan, Project
from annotator.models.projects import STANDING_DAYS
from scoring.service import get_protocol

SUMS: Final = "sha256sums.txt"
PROJECT: Final = "project.json"
ADJUDICATIONS: Final = "restore/adjudications.jsonl"
ANNOUNCEMENTS: Final = "restore/announcements.jsonl"
QUESTIONS: Final = "restore/questions.jsonl"
REPLIES: Final = "restore/replies.jsonl"
# Passes of a layout over all annotations; see `Layout.reads_all`.
PASSES: Final = 13
PIECE: Final = 64 * 1024


class FileChanged(ValueError):
    """A stored file differs from the imported one."""


@dataclass(frozen=True)
class File:
    """One file of a bundle and its contents."""

    name: str
    contents: Callable[[], Iterable[bytes]]
    packed: bool = True


@dataclass
class _Table:
    title: str
    columns: Sequence[Described]
    written: Written = field(default_factory=lambda: Written("", 0))


class Bundle:
    """A bundle as pieces; iterate over it once."""

    def __init__(self, source: BundleSource) -> None:
        self._source = source
        self._told: list[Told] = bundled_reports(source)
        self._tables: dict[str, _Table] = {}
        self.files = 0

    def __iter__(self) -> Iterator[bytes]:
        with Zip() as archive, tempfile.TemporaryFile() as sums, Drawer() as drawer:
            for file in self._files(drawer):
                entry = archive.entry(file.name, file.contents(), packed=file.packed)
                yield from entry
                self._note(file.name, entry.written, sums)
            sums.seek(0)
            yield from archive.entry(SUMS, iter(lambda: sums.read(PIECE), b""))
            yield from archive.end()

    def _note(self, name: str, written: Written, sums: IO[bytes]) -> None:
        self.files += 1
        sums.write(f"{written.sha256}  {name}\n".encode())
        table = name.removeprefix("data/").removesuffix(".csv")
        if table in self._tables and name.endswith(".csv"):
            self._tables[table].written = written

    def _files(self, drawer: Drawer) -> Iterator[File]:
        source, project = self._source, self._source.project
        yield File("README.txt", lambda: [readme(source)])
        yield from self._data()
        yield File("datapackage.json", lambda: [pretty(self._package())])
        yield from _pictures(source)
        yield File("methods.txt", lambda: [methods_text(self._told, source)])
        yield from _plans(source)
        yield File(PROJECT, lambda: [pretty(self._project())])
        for protocol in source.protocols:
            told = partial(_protocol, project, protocol)
            yield File(f"protocols/{protocol}.json" if source.is_named else "protocol.json", told)
        for name, made in report_files(self._told, project, drawer):
            yield File(name, partial(_whole, made), packed=not name.endswith(".png"))
        if source.reproduces:
            yield File("reproduction.md", lambda: [reproduction_page(project).encode()])
        if source.has_adjudications:
            yield File(ADJUDICATIONS, lambda: json_lines(adjudication_rows(source)))
        if versions_in(source).exists():
            for name, text in guideline_texts(source):
                yield File(name, partial(iter, [text]))
            yield File(GUIDELINES, lambda: json_lines(guideline_rows(source)))
        yield File("restore/annotations.jsonl", lambda: json_lines(annotation_rows(source)))
        if source.has_messages:
            yield File(ANNOUNCEMENTS, lambda: json_lines(announcement_rows(source)))
        yield File("restore/assignments.jsonl", lambda: json_lines(assignment_rows(source)))
        if face_counts(source):
            yield File(FACES, lambda: json_lines(face_rows(source)))
        yield File("restore/images.jsonl", lambda: json_lines(image_rows(source)))
        for name, lines in data_set_files(source):
            yield File(name, partial(_rows, lines))
        if norming_counts(source):
            yield File(IMAGES, lambda: json_lines(normed_rows(source)))
            yield File(COMMENTS, lambda: json_lines(comment_rows(source)))
            yield File(SESSIONS, lambda: json_lines(session_rows(source)))
        if source.has_messages:
            yield File(QUESTIONS, lambda: json_lines(question_rows(source)))
        if source.references.exists():
            yield File(REFERENCES, lambda: json_lines(reference_rows(source)))
        if source.has_messages:
            yield File(REPLIES, lambda: json_lines(reply_rows(source)))
        for name, rows in standing_files(source):
            yield File(name, partial(json_lines, rows))

    def _data(self) -> Iterator[File]:
        reported: dict[str, set[str]] = {}
        for one in self._told:
            reported.setdefault(one.report.protocol, set()).add(one.report.kind)
        for table in data_tables(self._source, reported):
            self._tables[table.name] = _Table(table.title, table.columns)
            for form in table.forms:
                yield File(table.file(form), partial(table.made, form), packed=form != "parquet")

    def _package(self) -> dict[str, Any]:
        project, request = self._source.project, self._source.request
        tables = [(name, found.title, found.columns, found.written) for name, found in self._tables.items()]
        seen = seen_sentences(answered(project))
        return data_package(slugify(project.name) or BUNDLE, project.name, seen, request.licence, tables)

    def _project(self) -> dict[str, Any]:
        source = self._source
        settled, versions = source.adjudications.count(), versions_in(source).count()
        references = source.references.count()
        return {
            "format": BUNDLE,
            "version": VERSION,
            "name": source.project.name,
            "weights": source.project.weights,
            # Only if declared, so that older versions refuse just the bundles they cannot read.
            **_standing_days(source.project),
            **data_set_settings(source.project),
            **source.request.told(),
            "counts": {
                "images": source.images.count(),
                "pictures_missing": len(source.lost),
                "assignments": source.assignments.count(),
                "annotations": source.annotations.count(),
                # Only if there are any, so that older versions refuse just the bundles they cannot read.
                **({"adjudications": settled} if settled else {}),
                **({"guidelines": versions} if versions else {}),
                **({"references": references} if references else {}),
                **counts_in(source),
                **(_messages(source) if source.has_messages else {}),
                **norming_counts(source),
                **face_counts(source),
                **data_set_counts(source),
            },
            "people": people_rows(source),
            "batches": batch_rows(source),
            "plans": [row for _, row in _plan_rows(source)],
            "reports": [one.as_json(named=source.is_named) for one in self._told],
        }


def _standing_days(project: Project) -> dict[str, int]:
    days = project.standing_days
    return {} if days == STANDING_DAYS else {"standing_days": days}


def _messages(source: BundleSource) -> dict[str, int]:
    return {
        "announcements": source.announcements.count(),
        "questions": source.questions.count(),
        "replies": source.replies.count(),
    }


def _rows(made: Callable[[], Iterator[dict[str, Any]]]) -> Iterable[bytes]:
    return json_lines(made())


def _whole(make: Callable[[], bytes]) -> Iterable[bytes]:
    return [make()]


def _protocol(project: Project, slug: str) -> Iterable[bytes]:
    return [pretty(numbers_of(slug).told(get_protocol(slug), project))]


def _document(plan: Plan) -> Iterable[bytes]:
    return [document_of(plan)]


def _pictures(source: BundleSource) -> Iterator[File]:
    """Yield the image files by hash."""
    if not source.request.pictures:
        return
    ordered = source.project.images.order_by("sha256")
    for pk, sha256, form, name in in_chunks(ordered, "pk", "sha256", "format", "file"):
        place = source.place_of(pk, sha256, form)
        if place is not None:
            yield File(place, partial(_picture, name, sha256), packed=False)
            source.done(1)


def _picture(name: str, sha256: str) -> Iterator[bytes]:
    digest = hashlib.sha256()
    with default_storage.open(name) as file:
        while piece := file.read(PIECE):
            digest.update(piece)
            yield piece
    if digest.hexdigest() != sha256:
        raise FileChanged(f"The stored file {name} differs from the imported image.")


def _plan_rows(source: BundleSource) -> Iterator[tuple[Plan, dict[str, Any]]]:
    """Yield the plans with their entries in project.json; none with pseudonyms."""
    if source.request.hidden:
        return
    places = places_of(source.batches)
    plans = Plan.objects.filter(batch__in=places).order_by("pk").defer("document")
    for number, plan in enumerate(plans, 1):
        yield (
            plan,
            {
                "batch": places[plan.batch_id],
                "kind": plan.kind,
                "seed": plan.seed,
                "algorithm": plan.algorithm,
                "certificate": plan.certificate,
                "reason": plan.reason,
                "created_at": moment(plan.created_at),
                "file": f"plans/{number:05}-{plan.kind}.json",
            },
        )


def _plans(source: BundleSource) -> Iterator[File]:
    for plan, row in _plan_rows(source):
        yield File(row["file"], partial(_document, plan))
