"""The suggestion runs of a bundle, in the form in which they are imported, and who was to see them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from analysis.bundles.source import BundleSource, in_chunks, moment, places_of, pretty
from annotator.models import Assignment, Suggestion, SuggestionRun

RUNS: Final = "suggestions.json"
FOLDER: Final = "suggestions"


def suggestion_files(source: BundleSource) -> Iterator[tuple[str, Callable[[], Iterable[bytes]]]]:
    """Yield name and contents of each file; nothing for a project without runs."""
    runs = list(source.project.suggestion_runs.order_by("pk"))
    if not runs:
        return
    names = {run.pk: f"{FOLDER}/{number}.jsonl" for number, run in enumerate(runs, 1)}
    yield RUNS, partial(_listed, source, runs, names)
    for run in runs:
        yield names[run.pk], partial(_rows, run)


def _listed(source: BundleSource, runs: list[SuggestionRun], names: dict[int, str]) -> Iterable[bytes]:
    listed = [
        {
            "file": names[run.pk],
            "source": run.source,
            "source_version": run.source_version,
            "settings_text": run.settings_text,
            "sha256": run.sha256,
            "made_at": moment(run.made_at),
            "withdrawn_at": moment(run.withdrawn_at),
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


def _rows(run: SuggestionRun) -> Iterator[bytes]:
    for _, sha256, payload in in_chunks(
        Suggestion.objects.filter(run=run).order_by("pk"), "pk", "image__sha256", "payload"
    ):
        yield json.dumps({"sha256": sha256, **payload}).encode() + b"\n"
