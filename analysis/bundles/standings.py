"""Qualifications, attempts and standings of a bundle, to restore them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.db.models import QuerySet

from analysis.bundles.rows import lines_of, moment, places_of
from analysis.bundles.source import BundleSource
from annotator.models import Attempt, Qualification, Standing

NAMES: Final = ("attempts", "qualifications", "standings")


def counts_in(source: BundleSource) -> dict[str, int]:
    """Return how many of each there are; empty for none, so that older versions can read such bundles."""
    found = {name: rows.count() for name, rows in _rows(source).items()}
    return found if any(found.values()) else {}


def standing_files(source: BundleSource) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """Yield each file's name and rows, if the project has any."""
    if counts_in(source):
        made = {
            "attempts": attempt_rows,
            "qualifications": qualification_rows,
            "standings": standing_rows,
        }
        for name in NAMES:
            yield f"restore/{name}.jsonl", made[name](source)


def qualification_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield what each qualification asks; its batch by place, its images by line, without deleted ones."""
    batches, line_of = places_of(source.batches), lines_of(source.images)
    for row in _rows(source)["qualifications"]:
        yield {
            "batch": batches[row.batch_id],
            "rule": row.rule,
            "pool": [line for line in map(line_of, row.pool) if line],
            "images": row.images,
            "attempts": row.attempts,
            "waiting_hours": row.waiting_hours,
        }


def attempt_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the attempts; qualifications and images by line, annotators by place."""
    rows = _rows(source)
    people, line_of = places_of(source.people), lines_of(source.images)
    qualification_line = lines_of(rows["qualifications"])
    for row in rows["attempts"]:
        versions = [[line_of(int(image)), version] for image, version in row.references.items()]
        yield {
            "qualification": qualification_line(row.qualification_id),
            "annotator": people[row.annotator_id],
            "number": row.number,
            "references": sorted(pair for pair in versions if pair[0]),
            "began_at": moment(row.began_at),
            "ended_at": moment(row.ended_at),
            "next_at": moment(row.next_at),
            "passed": row.passed,
            "result": row.result,
        }


def standing_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the standings; evidence by line of the annotations, people by place.

    Under pseudonyms without reasons, in which a lead may name people.
    """
    people, line_of = places_of(source.people), lines_of(source.annotations)
    for row in _rows(source)["standings"]:
        yield {
            "annotator": people[row.membership_id],
            "protocol": row.protocol,
            "state": row.state,
            "guideline": row.guideline,
            "evidence": [line for line in map(line_of, row.evidence) if line],
            "reason": "" if source.request.hidden else row.reason,
            "changed_at": moment(row.changed_at),
            "changed_by": people.get(row.changed_by_id or 0),
        }


def _rows(source: BundleSource) -> Mapping[str, QuerySet[Any]]:
    batches, people = source.batches.order_by(), source.people.order_by()
    return {
        "qualifications": Qualification.objects.filter(batch__in=batches).order_by("pk"),
        "attempts": Attempt.objects.filter(qualification__batch__in=batches).order_by("pk"),
        "standings": Standing.objects.filter(membership__in=people).order_by("pk"),
    }
