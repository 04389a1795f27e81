"""Write a project's days: workers call this after reports and every night."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

from django.db.models import Count, Q
from django.db.models.functions import TruncDate

from analysis.data.ratings_table import submitted
from analysis.models import ProjectDay, Report
from analysis.reports.lifecycle import finished
from analysis.stats.pooled_mean import pooled_mean
from annotator.models import Project
from annotator.projects.protocols import protocols_of
from scoring.service import PROTOCOLS, get_protocol

Json = dict[str, Any]

_IMPORTED: Final = Q(source__isnull=False)


def write_days(project: Project) -> None:
    """Write the days of every protocol: counts of all days, numbers of the days that have none yet."""
    # Not those that this site does not know.
    for protocol in PROTOCOLS.keys() & set(protocols_of(project)):
        _write(project, protocol)


def _write(project: Project, protocol: str) -> None:
    counts = _counts(project, protocol)
    known = {row.day: row for row in ProjectDay.objects.filter(project=project, protocol=protocol)}
    agreement = _reports_by_day(project, protocol, Report.Kind.AGREEMENT)
    comparison = _reports_by_day(project, protocol, Report.Kind.COMPARISON)
    today = max([*agreement, *comparison], default=None)
    rows = []
    for day in sorted({*counts, *known, *agreement, *comparison}):
        row = known.get(day) or ProjectDay(project=project, protocol=protocol, day=day)
        row.labelled, row.imported = counts.get(day, (0, 0))
        # Earlier days are over: their numbers stay, also when their reports are deleted.
        if day in agreement and (row.agreement is None or day == today):
            row.agreement = agreement_in(_result(agreement[day]), protocol)
        if day in comparison and (row.score is None or day == today):
            row.score = score_in(_result(comparison[day]), protocol)
        rows.append(row)
    # One statement, in the order of the days: two workers may write the same ones.
    ProjectDay.objects.bulk_create(
        [ProjectDay(**_values(row)) for row in rows],
        update_conflicts=True,
        unique_fields=["project", "day", "protocol"],
        update_fields=["labelled", "imported", "agreement", "score"],
    )


def _values(row: ProjectDay) -> Json:
    return {
        field.attname: getattr(row, field.attname)
        for field in ProjectDay._meta.concrete_fields
        if not field.primary_key
    }


def _counts(project: Project, protocol: str) -> dict[date, tuple[int, int]]:
    """Return day → annotations (labelled, imported) that count now."""
    by_day = submitted(project, protocol).order_by().annotate(day=TruncDate("submitted_at", tzinfo=UTC))
    grouped = by_day.values_list("day").annotate(
        labelled=Count("pk", filter=~_IMPORTED), imported=Count("pk", filter=_IMPORTED)
    )
    return {day: (labelled, imported) for day, labelled, imported in grouped}


def _reports_by_day(project: Project, protocol: str, kind: str) -> dict[date, int]:
    """Return day → the last report that was finished on it."""
    rows = finished(project, kind, protocol).order_by("pk").values_list("finished_at", "pk")
    return {_day(at): pk for at, pk in rows if at is not None}


def _day(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


def _result(report: int) -> Mapping[str, Any]:
    result = Report.objects.values_list("result", flat=True).get(pk=report)
    return result if isinstance(result, dict) else {}


def agreement_in(result: Mapping[str, Any], protocol: str) -> Json | None:
    """Return alpha of the protocol's headline in an agreement report, its value None if it has none."""
    headline = get_protocol(protocol).headline
    if "pooled" in result:
        found = result["pooled"].get(headline.name)
    else:
        rows = _table(result, "overall")
        found = next((row[2] for row in rows if row[0] == headline.title), None)
    if not found:
        return None
    return {key: found.get(key) for key in ("value", "low", "high")} | {"images": found["n_units"]}


def score_in(result: Mapping[str, Any], protocol: str) -> Json | None:
    """Return the mean headline over all images of a comparison report; None below two images."""
    if "generators" in result:
        groups = [
            (row["images"], row["image_mean"]["value"], row["image_variance"] or 0.0)
            for row in result["generators"]
        ]
    else:
        groups = [(row[2], row[3]["value"], row[4] or 0.0) for row in _table(result, "generators")]
    found = pooled_mean(groups, get_protocol(protocol).headline.range)
    return None if found is None else dict(zip(("images", "value", "low", "high"), found, strict=True))


def _table(result: Mapping[str, Any], name: str) -> list[list[Any]]:
    return next((table["rows"] for table in result.get("tables", []) if table["name"] == name), [])
