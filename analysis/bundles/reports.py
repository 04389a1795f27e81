"""The reports of a bundle: up to date, with the bundle's names, tables, figures and methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from analysis.bundles.source import BundleSource, File, moment, pretty
from analysis.data.ratings_table import input_digests, submitted
from analysis.exports.table_csv import table_csv
from analysis.figures.data_table import figure_csv
from analysis.figures.drawing_process import Drawer
from analysis.figures.figure import Figure
from analysis.figures.generic import figures
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.key_order import in_order
from analysis.reports.lifecycle import digest_now, request_report, run_report
from analysis.reports.stages import has_both_stages
from analysis.reports.stored import finished, newest_done
from analysis.sections import page_of_report
from analysis.stats.generic.tables import ALL_ANNOTATORS
from analysis.tables.generic import result_tables
from annotator.models import Project
from annotator.projects.protocols import protocols_of
from annotator.work.leases import UNDER_WAY

LOOK_AGAIN_SECONDS: Final = 0.3
_WHERE: Final[Mapping[str, Callable[[Project, str], bool]]] = {
    Report.Kind.STAGES.value: has_both_stages,
    Report.Kind.SUGGESTIONS.value: Project.shows_suggestions,
}
BUNDLED_KINDS: Final = tuple(sorted((*KEPT_UP_TO_DATE, *_WHERE)))
"""The kinds that a bundle may have, sorted by name; some only where the project has what they are about."""

PEOPLE: Final = ("annotator", "annotators")
"""Keys of results whose values are codes of annotators."""
IMAGE: Final = "image"
"""The key of results whose values are ids of images."""


@dataclass(frozen=True)
class Told:
    """A copy of a report whose result has the bundle's names."""

    report: Report
    current: bool
    folder: str

    @property
    def file(self) -> str:
        """Return the path of its result."""
        return f"{self.folder}/report.json"

    def as_json(self, *, named: bool) -> dict[str, Any]:
        """Return the report for project.json; `named` adds the protocol."""
        row = self.report
        times = {name: moment(getattr(row, name)) for name in ("started_at", "finished_at", "checked_at")}
        plain = {"kind": row.kind, "annotations": row.annotations, "code_version": row.code_version}
        about = {"protocol": row.protocol} if named else {}
        about |= {"settings": row.settings} if row.settings else {}
        return {**plain, **about, "current": self.current, "file": self.file, **times}


def bring_up_to_date(project: Project, told: Callable[[int, int], None]) -> None:
    """Compute reports whose input has changed in this process, unless a worker is computing them.

    A report that cannot be computed keeps its last result, if any; its row holds the reason. `told` receives
    hundredths of the reports looked at, and of their number.
    """
    protocols = [slug for slug in protocols_of(project) if submitted(project, slug).exists()]
    wanted = [(protocol, kind) for protocol in protocols for kind in _kinds(project, protocol)]
    for done, (protocol, kind) in enumerate(wanted):

        def tell(percent: int, of: int = 100, done: int = done) -> None:
            told(of * done + percent, of * len(wanted))

        tell(0)
        last = newest_done(project, kind, protocol)
        if last and last.input_digest == digest_now(last, input_digests(project, protocol)):
            continue
        asked = request_report(project=project, kind=kind, protocol=protocol, send=False)
        while Report.objects.filter(pk=asked.pk, status__in=UNDER_WAY).exists():
            if not run_report(asked.pk, tell):
                tell(0)
                time.sleep(LOOK_AGAIN_SECONDS)


def _kinds(project: Project, protocol: str) -> list[str]:
    return [kind for kind in BUNDLED_KINDS if kind not in _WHERE or _WHERE[kind](project, protocol)]


def bundled_reports(source: BundleSource) -> list[Told]:
    """Return the newest finished report of each protocol and kind, by folder.

    The list is empty if reports are not included.
    """
    if not source.request.reports:
        return []
    found = [told for protocol in source.protocols for told in _told_of(source, protocol)]
    return sorted(found, key=lambda told: told.file)


def _told_of(source: BundleSource, protocol: str) -> Iterator[Told]:
    digests = input_digests(source.project, protocol)
    for kind in _kinds(source.project, protocol):
        last = finished(source.project, kind, protocol).first()
        if last is not None:
            current = last.input_digest == digest_now(last, digests)
            last.result = in_bundle(in_order(last.result or {}), source)
            yield Told(last, current, f"reports/{source.named(protocol, kind)}")


def in_bundle(value: Any, source: BundleSource, key: str = "") -> Any:
    """Return a result with the bundle's names of annotators, and images as rows of data/pictures.csv.

    Numbers of annotations, which mean nothing outside the database, are left out.
    """
    if isinstance(value, Mapping) and "columns" in value and "rows" in value:
        return {**value, **_table_in_bundle(value["columns"], value["rows"], source)}
    if isinstance(value, Mapping):
        return {inner: in_bundle(item, source, inner) for inner, item in value.items()}
    if isinstance(value, list):
        return [in_bundle(item, source, key) for item in value]
    if key == IMAGE and isinstance(value, int):
        return source.rows_of_images.get(value, 0)
    is_person = key in PEOPLE and isinstance(value, str) and value != ALL_ANNOTATORS
    return source.name(value) if is_person else value


def _table_in_bundle(
    columns: list[dict[str, Any]], rows: list[list[Any]], source: BundleSource
) -> dict[str, Any]:
    kept = {
        place: column["name"]
        for place, column in enumerate(columns)
        if (column["kind"], column["name"]) != ("data", "annotations")
    }
    if len(kept) == len(columns):  # without them, images are no ids either
        kept = {place: "" if name == IMAGE else name for place, name in kept.items()}
    return {
        "columns": [columns[place] for place in kept],
        "rows": [[in_bundle(row[place], source, name) for place, name in kept.items()] for row in rows],
    }


def report_files(told: list[Told], drawer: Drawer) -> Iterator[File]:
    """Yield every file of the reports, sorted by name within each."""
    for one in told:
        yield from sorted(_files(one, drawer), key=lambda file: file.name)


def _files(told: Told, drawer: Drawer) -> Iterator[File]:
    folder, result = told.folder, told.report.result or {}
    yield File(told.file, lambda: [pretty(result)])
    for table in result_tables(result):
        yield File(f"{folder}/tables/{table.slug}.csv", partial(_encoded, table_csv, table))
    made = figures(result)
    yield File(f"{folder}/captions.txt", lambda: ["\n\n".join([*map(_caption, made), ""]).encode()])
    for figure in made:
        if not figure.refused:
            name = f"{folder}/figures/{figure.slug}"
            yield File(f"{name}.csv", partial(_encoded, figure_csv, figure))
            yield File(f"{name}.svg", partial(_drawn, drawer, figure, "svg"))
            yield File(f"{name}.png", partial(_drawn, drawer, figure, "png"), packed=False)


def _encoded(write: Callable[[Any], str], what: Any) -> list[bytes]:
    return [write(what).encode()]


def _drawn(drawer: Drawer, figure: Figure, form: str) -> list[bytes]:
    return [drawer.draw(figure, form)]


def _caption(figure: Figure) -> str:
    if figure.refused:
        return f"{figure.slug}: {figure.title}\nNot drawn: {figure.refused}."
    return "\n".join(
        text for text in (f"{figure.slug}: {figure.title}", figure.note, figure.description) if text
    )


def methods_text(told: list[Told], source: BundleSource) -> bytes:
    """Return the methods paragraphs with their references."""
    readings = [(one.report, page_of_report(one.report, source.project)) for one in told]
    parts = [
        f"{source.titled(report.protocol, report.get_kind_display())}\n\n{made.methods}"
        for report, made in readings
        if made.methods
    ]
    cited = dict.fromkeys(reference for _, made in readings for reference in made.references)
    parts += ["References\n\n" + "\n".join(cited)] if cited else []
    return ("\n\n\n".join(parts) + "\n" if parts else "No report was computed.\n").encode()
