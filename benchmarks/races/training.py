"""Races of leads and annotators in training: normed values, exemptions, qualifications."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any
from uuid import uuid4

from annotator.models import Batch, Event, NormedImage, Standing
from annotator.norming.discussing import ValueChanged, agree
from annotator.people.standings import qualified_for, waive
from annotator.training.qualification_attempts import conclude
from benchmarks.races.rounds import Round
from benchmarks.races.worlds import account, noted
from tests.annotator.norming.making import make_circle
from tests.annotator.planned import plan_for, release_plan
from tests.annotator.training.making import WRONG, make_exam, release, rows_of, submit
from tests.factories import LEAD, REFERENCE, make_member


def values_agreed(round_: Round) -> None:
    """Four leads agree different values of one normed image."""
    circle = make_circle(f"normed-{uuid4().hex[:12]}", images=3)
    normed = circle.revealed().images.select_related("session__batch")[0]
    leads = [circle.lead, *(make_member(circle.project, LEAD) for _ in range(3))]
    outcomes = round_.race(
        *(
            partial(agree, normed=normed, actor=account(lead), payload=noted(lead.code), replaces=0)
            for lead in leads
        )
    )
    stored = NormedImage.objects.select_related("decided_by").get(pk=normed.pk)
    won = [outcome for outcome in outcomes if isinstance(outcome, NormedImage)]
    round_.holds(
        "one value, the winner's", (stored.version, [row.agreed for row in won]) == (1, [stored.agreed])
    )
    shown = [outcome.current.agreed for outcome in outcomes if isinstance(outcome, ValueChanged)]
    round_.holds("the others are shown it", shown == [stored.agreed] * 3)
    round_.holds("it is who said it", stored.agreed == noted(getattr(stored.decided_by, "code", "")))
    verbs = Event.objects.filter(project=circle.project, verb="norming_agreed")
    round_.holds("one Event", verbs.count() == 1)


def exempted_at_once(round_: Round) -> None:
    """Three leads exempt the same two annotators, each with another reason."""
    circle = make_circle(f"exempt-{uuid4().hex[:12]}", images=0)
    leads = [circle.lead, *(make_member(circle.project, LEAD) for _ in range(2))]
    people = {circle.ada.pk, circle.bob.pk}
    asked: dict[str, Any] = {"project": circle.project, "protocol": "anatomy", "members": people}
    counts = round_.race(*(partial(waive, **asked, reason=lead.code, actor=account(lead)) for lead in leads))
    round_.holds("one lead exempts both", sorted(counts) == [0, 0, 2])
    held = Standing.objects.filter(membership__in=people, state="waived").select_related("changed_by")
    reasons = {(row.reason, row.changed_by.code if row.changed_by else "") for row in held}
    round_.holds("with the reason of that lead", reasons == {(leads[counts.index(2)].code,) * 2})
    told = Event.objects.filter(project=circle.project, verb="standing_changed").count()
    round_.holds("an Event for each annotator", (len(held), told) == (2, 2))


def qualified_and_released(round_: Round) -> None:
    """An attempt ends, passed in every other round, while work that needs it is released, twice."""
    exam = make_exam(2, f"exam-{uuid4().hex[:12]}")
    project, passes = exam.project, round_.number % 2 == 0
    attempt = release(exam)
    for row in rows_of(attempt, exam.ada):
        submit(row, REFERENCE if passes else WRONG)
    asked: dict[str, Any] = {
        "project": project,
        "plan": plan_for(project, [exam.ada.code], overlap=Fraction(0)),
    }
    ended, *made = round_.race(
        partial(conclude, attempt, exam.ada),
        *(
            partial(release_plan, name=name, people=[exam.ada.pk], needs_standing=True, **asked)
            for name in ("one", "two")
        ),
    )
    batches = [batch for batch in made if isinstance(batch, Batch)]
    round_.holds("it ends once, as it was", ended is not None and ended.passed == passes)
    round_.holds("one standing", (exam.ada.pk in qualified_for(project)) == passes)
    round_.holds("nobody who failed has work", passes or not batches)
    events = Event.objects.filter(project=project).order_by("pk")
    first = events.filter(verb="batch_released", data__name__in=("one", "two")).first()
    qualified = events.filter(verb="standing_changed", data__state="qualified").first()
    before = first is None or (qualified is not None and qualified.pk < first.pk)
    round_.holds("qualified before released", before)
    round_.holds("a batch only if it says so", project.batches.exclude(pk=attempt.pk).count() == len(batches))
