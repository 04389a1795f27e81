"""How the annotations of a protocol were made, in counts: what a paper states beside the statistics.

The items are those of J. Kottner et al., "Guidelines for Reporting Reliability and Agreement Studies (GRRAS)
were proposed", Journal of Clinical Epidemiology 64 (2011) 96-106.
"""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Q

from annotator.models import (
    Assignment,
    Event,
    GuidelineVersion,
    Membership,
    NormingSession,
    Plan,
    Project,
    Standing,
)
from annotator.models.counting import is_labelled_here, is_work

INTERIM: Final = "interim_results_opened"
"""The verb of the event by which a lead looks at results before all annotations are in."""
_LEARNT: Final = (Assignment.Purpose.TRAINING.value, Assignment.Purpose.NORMING.value)


def conduct_of(project: Project, protocol: str) -> dict[str, Any]:
    """Return counts of the work under a protocol, for the checklist of a comparison's methods.

    `planned` assignments are those made here and not `withdrawn`; of them `open` and `skipped` ones are
    missing. `standings` counts the annotators with work by their standing. `training` and `norming` have
    how many annotators made how many annotations.
    """
    return {
        **_assignments(project, protocol),
        **_annotators(project, protocol),
        "sessions": NormingSession.objects.filter(
            project=project, batch__protocol=protocol, revealed_at__isnull=False
        ).count(),
        "guidelines": [
            version.number
            for version in GuidelineVersion.objects.filter(
                guideline__project=project, guideline__protocol=protocol
            )
            .order_by("major", "minor")
            .defer("content")
        ],
        "changes": Plan.objects.filter(
            batch__project=project, batch__protocol=protocol, kind=Plan.Kind.CHANGE
        ).count(),
        "interim": Event.objects.filter(project=project, verb=INTERIM).count(),
    }


def _assignments(project: Project, protocol: str) -> dict[str, Any]:
    status, here = Assignment.Status, is_work() & is_labelled_here()
    rows = Assignment.objects.filter(batch__project=project, batch__protocol=protocol).order_by()
    learnt: dict[str, tuple[int, int]] = dict.fromkeys(_LEARNT, (0, 0))
    learnt |= {
        purpose: (people, made)
        for purpose, people, made in rows.filter(purpose__in=_LEARNT, status=status.DONE)
        .values("purpose")
        .annotate(people=Count("annotator", distinct=True), made=Count("pk"))
        .values_list("purpose", "people", "made")
    }
    return {
        **rows.aggregate(
            planned=Count("pk", filter=here & ~Q(status=status.WITHDRAWN)),
            open=Count("pk", filter=here & Q(status=status.OPEN)),
            skipped=Count("pk", filter=here & Q(status=status.SKIPPED)),
            withdrawn=Count("pk", filter=here & Q(status=status.WITHDRAWN)),
            imported=Count("pk", filter=is_work() & ~is_labelled_here()),
        ),
        **{
            purpose: {"annotators": people, "annotations": made} for purpose, (people, made) in learnt.items()
        },
    }


def _annotators(project: Project, protocol: str) -> dict[str, Any]:
    work = Assignment.objects.filter(
        is_work(),
        is_labelled_here(),
        status=Assignment.Status.DONE,
        batch__project=project,
        batch__protocol=protocol,
    )
    people = Membership.objects.filter(Exists(work.filter(annotator=OuterRef("pk"))), project=project)
    standings = Standing.objects.filter(membership__in=people, protocol=protocol).order_by()
    return {
        "people": people.count(),
        "left": people.filter(is_active=False).count(),
        "standings": dict(standings.values_list("state").annotate(Count("pk"))),
    }
