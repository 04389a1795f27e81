"""The files of a bundle in name order, and the bundle as pieces of a zip.

`datapackage.json` describes its tables as a Tabular Data Package of Frictionless, version 1.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from django.core.files.storage import default_storage
from django.utils.text import slugify

from analysis.bundles.readme import guideline_files, readme
from analysis.bundles.reports import Told, bundled_reports, methods_text, report_files
from analysis.bundles.source import (
    BundleSource,
    File,
    batch_rows,
    moment,
    people_rows,
    places_of,
    pretty,
)
from analysis.bundles.tables import MANIFEST, DataTable, data_tables, field_of, manifest_lines
from analysis.exports.rows import in_chunks
from analysis.exports.zipping import Written, Zip
from analysis.figures.drawing_process import Drawer
from analysis.protocols.registry import numbers_of
from analysis.tables.blinding import answered, seen_sentences
from annotator.faces.blurring import open_blurred
from annotator.models import Assignment, DataSet, Image, Plan, Project, Suggestion, SuggestionRun
from annotator.projects.tags import tags_of
from scoring.service import get_protocol

PROFILE: Final = "tabular-data-package"
BUNDLE: Final = "anatomark-bundle"
VERSION: Final = 1
SUMS: Final = "sha256sums.txt"
PROJECT: Final = "project.json"
PIECE: Final = 64 * 1024
RUNS: Final = "suggestions.json"
FOLDER: Final = "suggestions"


def _resource(table: DataTable, written: Written) -> dict[str, Any]:
    return {
        "profile": "tabular-data-resource",
        "name": table.name,
        "title": table.title,
        "path": table.file("csv"),
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": written.size,
        "hash": f"sha256:{written.sha256}",
        "dialect": {"delimiter": ",", "quoteChar": '"', "doubleQuote": True, "lineTerminator": "\r\n"},
        "schema": {
            "fields": [field_of(column) for column in table.columns],
            "missingValues": [""],
        },
    }


class FileChanged(ValueError):
    """A stored file differs from the imported one."""


class Bundle:
    """A bundle as pieces; iterate over it once. `told` receives the files written and their number."""

    def __init__(self, source: BundleSource, told: Callable[[int, int], None]) -> None:
        self._source = source
        self._progress = told
        self._told: list[Told] = bundled_reports(source)
        self._tables = data_tables(source)
        self._written: dict[str, Written] = {}
        self.files = 0

    def __iter__(self) -> Iterator[bytes]:
        with Zip() as archive, tempfile.TemporaryFile() as sums, Drawer() as drawer:
            files = list(self._files(drawer))
            for file in files:
                yield from archive.entry(file.name, file.contents(), packed=file.packed)
                self.files += 1
                sums.write(f"{archive.written.sha256}  {file.name}\n".encode())
                if file.name.startswith("data/"):
                    self._written[file.name] = archive.written
                # A cancelled job ends here, whatever it was writing.
                self._progress(self.files, len(files))
            sums.seek(0)
            yield from archive.entry(SUMS, iter(lambda: sums.read(PIECE), b""))
            yield from archive.end()

    def _files(self, drawer: Drawer) -> Iterator[File]:
        source, project = self._source, self._source.project
        yield File("README.txt", lambda: [readme(source)])
        for table in self._tables:
            for form in table.forms:
                yield File(table.file(form), partial(table.made, form), packed=form != "parquet")
        yield File("datapackage.json", lambda: [pretty(self._package())])
        yield from guideline_files(source)
        yield from _pictures(source)
        if source.request.pictures:
            yield File(MANIFEST, lambda: manifest_lines(source))
        yield File("methods.txt", lambda: [methods_text(self._told, source)])
        yield File(PROJECT, lambda: [pretty(self._project())])
        for protocol in source.protocols:
            told = partial(_protocol, project, protocol)
            yield File(f"protocols/{protocol}.json" if source.is_named else "protocol.json", told)
        yield from suggestion_files(source)
        yield from report_files(self._told, drawer)

    def _package(self) -> dict[str, Any]:
        """Return the descriptor of the tables."""
        project, licence = self._source.project, self._source.request.licence
        seen = seen_sentences(answered(project))
        return {
            "profile": PROFILE,
            "name": slugify(project.name) or BUNDLE,
            "title": project.name,
            **({"description": seen} if seen else {}),
            "anatomark": {"format": BUNDLE, "version": VERSION},
            **(
                {"licenses": [{"path" if licence.startswith("http") else "name": licence}]} if licence else {}
            ),
            "resources": [_resource(table, self._written[table.file("csv")]) for table in self._tables],
        }

    def _project(self) -> dict[str, Any]:
        source = self._source
        settings = DataSet.objects.filter(project=source.project).values_list("settings", flat=True).first()
        return {
            "format": BUNDLE,
            "version": VERSION,
            "name": source.project.name,
            "weights": source.project.weights,
            **({"tags": tags} if (tags := tags_of(source.project)) else {}),
            **({"data_set": settings} if settings else {}),
            **source.request.told(),
            "counts": {
                "images": source.images.count(),
                "pictures_missing": len(source.lost),
                "assignments": source.assignments.count(),
                "annotations": source.annotations.count(),
                "adjudications": source.adjudications.count(),
            },
            "people": people_rows(source),
            "batches": batch_rows(source),
            "plans": _plan_rows(source),
            "reports": [one.as_json(named=source.is_named) for one in self._told],
        }


def _protocol(project: Project, slug: str) -> Iterable[bytes]:
    return [pretty(numbers_of(slug).told(get_protocol(slug), project))]


def _pictures(source: BundleSource) -> Iterator[File]:
    """Yield the image files by hash."""
    if not source.request.pictures:
        return
    ordered = source.project.images.order_by("sha256")
    for pk, sha256, form, name in in_chunks(ordered, "pk", "sha256", "format", "file"):
        place = source.place_of(pk, sha256, form)
        if place is not None:
            piece = partial(_blurred, pk) if source.is_blurred else partial(_picture, name, sha256)
            yield File(place, piece, packed=False)


def _blurred(pk: int) -> Iterator[bytes]:
    with open_blurred(Image.objects.get(pk=pk), webp=True) as file:
        yield file.read()


def _picture(name: str, sha256: str) -> Iterator[bytes]:
    digest = hashlib.sha256()
    with default_storage.open(name) as file:
        while piece := file.read(PIECE):
            digest.update(piece)
            yield piece
    if digest.hexdigest() != sha256:
        raise FileChanged(f"The stored file {name} differs from the imported image.")


def _plan_rows(source: BundleSource) -> list[dict[str, Any]]:
    """Return the plans for project.json; none with pseudonyms."""
    if source.request.hidden:
        return []
    places = places_of(source.batches)
    plans = Plan.objects.filter(batch__in=places).order_by("pk").select_related("batch")
    return [
        {
            "batch": places[plan.batch_id],
            "kind": plan.kind,
            "seed": plan.batch.seed,
            "algorithm": plan.algorithm,
            "reason": plan.reason,
            "created_at": moment(plan.created_at),
        }
        for plan in plans.defer("design", "annotators")
    ]


def suggestion_files(source: BundleSource) -> Iterator[File]:
    """Yield the runs of suggestions; nothing for a project without runs."""
    runs = list(source.project.suggestion_runs.order_by("pk"))
    if not runs:
        return
    names = {run.pk: f"{FOLDER}/{number}.jsonl" for number, run in enumerate(runs, 1)}
    yield File(RUNS, partial(_runs, source, runs, names))
    for run in runs:
        yield File(names[run.pk], partial(_suggested, run))


def _runs(source: BundleSource, runs: list[SuggestionRun], names: dict[int, str]) -> Iterable[bytes]:
    said, times = ("kind", "source", "source_version", "settings_text", "sha256"), ("made_at", "withdrawn_at")
    listed = [
        {
            "file": names[run.pk],
            **{name: getattr(run, name) for name in said},
            **{name: moment(getattr(run, name)) for name in times},
        }
        for run in runs
    ]
    return [pretty({"runs": listed, "arms": list(_arms(source, names))})]


def _arms(source: BundleSource, names: dict[int, str]) -> Iterator[dict[str, Any]]:
    """Yield every assignment for which the plan drew whether it sees the suggestion."""
    places = places_of(source.batches)
    rows = source.assignments.exclude(arm=Assignment.Arm.NONE)
    fields = ("batch_id", "batch__suggestions_id", "image__sha256", "annotator__code", "arm")
    for _, batch, run, sha256, code, arm in in_chunks(rows, "pk", *fields):
        about = {"batch": places[batch], "file": names.get(run, ""), "sha256": sha256}
        yield {**about, "annotator": source.name(code), "arm": arm}


def _suggested(run: SuggestionRun) -> Iterator[bytes]:
    for _, sha256, payload in in_chunks(
        Suggestion.objects.filter(run=run).order_by("pk"), "pk", "image__sha256", "payload"
    ):
        yield json.dumps({"sha256": sha256, **payload}).encode() + b"\n"
