"""The reports of a bundle: up to date, with the bundle's names, tables, figures and methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from analysis.bundles.source import BundleSource, moment, places_of, pretty
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
from analysis.reports.stored import OVERLAP, finished, newest_done
from analysis.sections import page_of_report
from analysis.stats.generic.tables import ALL_ANNOTATORS, ALL_READERS
from analysis.tables.generic import result_tables
from analysis.tables.table import Table
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

File = tuple[str, Callable[[], bytes]]
PEOPLE: Final = ("annotator", "annotators")
"""Keys of results whose values are codes of annotators."""


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
            last.result = numbered(renamed(in_order(last.result or {}), source.name), source)
            yield Told(last, current, f"reports/{source.named(protocol, kind)}")


def renamed(value: Any, name: Callable[[str], str], key: str = "") -> Any:
    """Return a result with all annotators renamed."""
    if isinstance(value, Mapping) and "columns" in value and "rows" in value:
        keys = [column["name"] for column in value["columns"]]
        rows = [
            [renamed(item, name, inner) for inner, item in zip(keys, row, strict=True)]
            for row in value["rows"]
        ]
        return {**value, "rows": rows}
    if isinstance(value, Mapping):
        return {inner: renamed(item, name, inner) for inner, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, name, key) for item in value]
    is_person = key in PEOPLE and isinstance(value, str) and value not in (ALL_ANNOTATORS, ALL_READERS)
    return name(value) if is_person else value


def numbered(result: dict[str, Any], source: BundleSource) -> dict[str, Any]:
    """Return a result whose strips and disagreements name images by their row in data/pictures.csv.

    Numbers of annotations, which mean nothing outside the database, are left out.
    """
    if OVERLAP in result:
        sides = result[OVERLAP]
        told_sides = {
            side: found if side == "images" else numbered(found, source) for side, found in sides.items()
        }
        result = result | {OVERLAP: told_sides}
    places = places_of(source.images)

    def row_of(image: int) -> int:
        return places.get(image, 0)

    if result.get("strips"):
        result = result | {"strips": _with_images(result["strips"], row_of)}
    return result | {"tables": [_with_rows(table, row_of) for table in result.get("tables", ())]}


def _with_rows(table: dict[str, Any], row_of: Callable[[int], int]) -> dict[str, Any]:
    """Return a table whose images are given by their row, without the ids of annotations."""
    names = [column["name"] for column in table["columns"] if column["kind"] == "data"]
    if "annotations" not in names:
        return table
    rows = []
    for row in table["rows"]:
        value = dict(zip((column["name"] for column in table["columns"]), row, strict=True))
        value["image"] = row_of(value["image"])
        rows.append([item for name, item in value.items() if name != "annotations"])
    columns = [column for column in table["columns"] if column["name"] != "annotations"]
    return table | {"columns": columns, "rows": rows}


def _with_images(value: Any, row_of: Callable[[int], int]) -> Any:
    """Return strips whose images are given by their row; anything else stays as it is."""
    if isinstance(value, Mapping):
        return {
            key: row_of(item) if key == "image" and isinstance(item, int) else _with_images(item, row_of)
            for key, item in value.items()
        }
    return [_with_images(item, row_of) for item in value] if isinstance(value, list) else value


def report_files(told: list[Told], drawer: Drawer) -> Iterator[File]:
    """Yield name and factory of every report file, sorted by name."""
    for one in told:
        yield from sorted(_files(one, drawer), key=lambda file: file[0])


def _files(told: Told, drawer: Drawer) -> Iterator[File]:
    folder, result = told.folder, told.report.result or {}
    yield told.file, lambda: pretty(result)
    for table in result_tables(result):
        yield f"{folder}/tables/{table.slug}.csv", partial(_table_file, table)
    made = figures(result)
    yield f"{folder}/captions.txt", lambda: "\n\n".join([*map(_caption, made), ""]).encode()
    for figure in made:
        if not figure.refused:
            name = f"{folder}/figures/{figure.slug}"
            yield f"{name}.csv", partial(_figure_file, figure)
            for form in ("svg", "png"):
                yield f"{name}.{form}", partial(drawer.draw, figure, form)


def _table_file(table: Table) -> bytes:
    return table_csv(table).encode()


def _figure_file(figure: Figure) -> bytes:
    return figure_csv(figure).encode()


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
