"""Compare the second round of a norming session with the first: before and after, as a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from analysis.data.ratings_table import load_round
from annotator.database.transactions import write_transaction
from annotator.models import Batch, Job, NormingSession
from annotator.norming.revealing import EFFECT
from annotator.work.jobs import JobRefused, Steps
from annotator.work.kinds import runs


@runs(EFFECT, title="Norming: before and after")
def run_effect(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `session`: store the `effect` of a second round and return where it stands."""
    sessions = NormingSession.objects.select_related("batch__project", "follows__batch__project")
    after = sessions.filter(pk=job.data["session"], project=job.project).first()
    if after is None or after.follows is None:
        raise JobRefused("This session has no first round to compare it with.", "no-first")
    if not (after.is_revealed and after.follows.is_revealed):
        raise JobRefused("Both rounds must be revealed before they can be compared.", "not-revealed")
    steps(0, 2)
    before = _measures(after.follows.batch)
    steps(1, 2)
    effect = {"rounds": _beside(before, _measures(after.batch))}
    with write_transaction():
        NormingSession.objects.filter(pk=after.pk).update(effect=effect)
    return {
        "url": reverse("norming", args=[job.project.slug, after.pk]),
        "go_on": "Go to session",
        "words": "The two rounds are compared.",
    }


def _measures(batch: Batch) -> list[dict[str, Any]]:
    from analysis.stats.norming import round_measures

    return round_measures(load_round(batch))


def _beside(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each measure with its estimates `before` and `after`."""
    return [
        {
            "name": measure["name"],
            "title": measure["title"],
            "before": measure["estimate"],
            "after": other["estimate"],
        }
        for measure, other in zip(before, after, strict=True)
    ]
