"""Races of leads who release, change annotators and adjudicate with other people."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from annotator.annotations.adjudication import adjudicate, annotations_of, seen
from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.saving import submit_annotation
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.batches.releases import planned_on
from annotator.models import Adjudication, Annotation, Assignment, Batch, Event, Image, Plan, Project, User
from annotator.people.members import change_role, deactivate_person
from annotator.protocols.rating_form.stored import save_form
from annotator.records.project_deletion import delete_project
from benchmarks.races.rounds import Round
from benchmarks.races.worlds import account, consistent, noted
from tests.annotator.adjudicating import ADJUDICATED, make_case
from tests.annotator.planned import faults_in, make_study, people_of, plan_for, release_plan, released
from tests.factories import LEAD, make_member, make_project
from tests.scoring.rating_form.test_rules import PEOPLE

FOUR = 4


def release_confirmed(round_: Round) -> None:
    """Confirm a release four times: by one page sent twice, and by two other pages."""
    project = make_study(f"released-{uuid4().hex[:12]}", "ABC", generators=1, prompts=2)
    plan, basis, key = plan_for(project, "ABC", unassigned=True), planned_on(project), uuid4()
    outcomes = round_.race(
        *(
            partial(release_plan, project=project, name=name, plan=plan, request_key=each, basis=basis)
            for name, each in (("one", key), ("one", key), ("one", uuid4()), ("other", uuid4()))
        )
    )
    made = list(Batch.objects.filter(project=project))
    round_.holds("one batch", len(made) == 1)
    won = {each.pk for each in outcomes if isinstance(each, Batch)}
    round_.holds("whoever is told of one is told of that", won == {each.pk for each in made})
    round_.holds(
        "every image once as planned",
        Assignment.objects.filter(batch__in=made).count() == len(plan.placements),
    )
    round_.holds("one page sent twice is answered alike", _alike(*outcomes[:2]))
    round_.holds("the rows are what the plan guarantees", [faults_in(each) for each in made] == [[]])
    round_.holds("one Event", Event.objects.filter(project=project, verb="batch_released").count() == 1)


def release_and_delete(round_: Round) -> None:
    """Confirm a release while another lead deletes the project."""
    project = make_study(f"going-{uuid4().hex[:12]}", "AB", generators=1, prompts=2)
    plan, lead = plan_for(project, "AB"), make_member(project, LEAD)
    made, deleted = round_.race(
        partial(release_plan, project=project, name="one", plan=plan, request_key=uuid4()),
        partial(delete_project, project=project, typed=project.name, reason="Over.", actor=account(lead)),
    )
    round_.holds("the project is being deleted", isinstance(deleted, Project))
    verbs = [each.verb for each in Event.objects.filter(project=project).order_by("pk")]
    released_first = ["batch_released", "project_deleted"]
    round_.holds(
        "released before", verbs == (released_first if isinstance(made, Batch) else ["project_deleted"])
    )
    round_.holds("a batch only if it says so", project.batches.exists() == isinstance(made, Batch))


def form_saved_and_released(round_: Round) -> None:
    """Save a change of a form while another lead releases a batch under it."""
    project = make_study(f"form-{uuid4().hex[:12]}", "AB", generators=1, prompts=2)
    lead = make_member(project, LEAD)
    first = save_form(project, replace(PEOPLE, title=f"First {uuid4().hex}"), lead)
    changed = replace(PEOPLE, title=f"Second {uuid4().hex}")
    made, saved = round_.race(
        partial(release_plan, project=project, name="one", plan=plan_for(project, "AB"), protocol=first.slug),
        partial(save_form, project, changed, lead, first),
    )
    forms = set(project.rating_forms.values_list("slug", flat=True))
    batches = list(project.batches.all())
    round_.holds("no batch without its form", {batch.protocol for batch in batches} <= forms)
    round_.holds("what was saved is there", changed.slug in forms and not isinstance(saved, Exception))
    round_.holds("a batch only if it says so", bool(batches) == isinstance(made, Batch))
    round_.holds("the first form goes only without a batch", (first.slug in forms) == bool(batches))


def people_confirmed(round_: Round) -> None:
    """Confirm a change of annotators by one page sent twice and by another page."""
    project = make_study(f"changed-{uuid4().hex[:12]}", "ABC", generators=1, prompts=2)
    batch, leaving, key = released(project, "ABC"), people_of(project, "B"), uuid4()
    outcome = outcome_of(propose_people_change(batch=batch, leaving=leaving))
    made = round_.race(*(partial(_change, batch, leaving, outcome, each) for each in (key, key, uuid4())))
    plans = list(Plan.objects.filter(batch=batch, kind="change"))
    round_.holds("one change", len(plans) == 1)
    round_.holds("one page sent twice is answered alike", _alike(*made[:2]))
    won = {each.pk for each in made if isinstance(each, Plan)}
    round_.holds("whoever is told of one is told of that", won == {each.pk for each in plans})
    round_.holds("the rows are what the plan guarantees", faults_in(batch) == [])
    _each_image_held(round_, batch)


def taken_out_while_working(round_: Round) -> None:
    """An annotator submits while a lead reassigns their images."""
    project = make_study(f"leaving-{uuid4().hex[:12]}", "ABC", generators=1, prompts=2)
    batch, leaving = released(project, "ABC", overlap=0), people_of(project, "B")
    mine = batch.assignments.filter(annotator__code="B").order_by("position")[0]
    outcome = outcome_of(propose_people_change(batch=batch, leaving=leaving))
    submitted, _ = round_.race(partial(_submit, mine.pk), partial(_change, batch, leaving, outcome, uuid4()))
    holder = Assignment.objects.select_related("annotator").get(
        batch=batch, image=mine.image, position__isnull=False
    )
    if isinstance(submitted, Annotation):
        round_.holds(
            "what counts stays its annotator's", (holder.annotator.code, holder.status) == ("B", "done")
        )
    else:
        round_.holds("what is refused went to somebody else", holder.annotator.code != "B")
        round_.holds("what is refused is not stored", not Annotation.objects.filter(assignment=mine).exists())
        kept = Event.objects.filter(assignment=mine, verb="refused").count()
        round_.holds("what is refused is kept", kept == 1)
    round_.holds("the rows are what the plan guarantees", faults_in(batch) == [])
    _each_image_held(round_, batch)
    consistent(round_, project)


def four_settle(round_: Round) -> None:
    """Four leads adjudicate one image, one of them twice with one idempotency key."""
    case = make_case(make_project())
    leads = [case.lead, *(make_member(case.project, LEAD) for _ in range(FOUR - 1))]
    looked_at, key = seen(annotations_of(case.image, "anatomy")), uuid4()
    sent = [(lead, uuid4()) for lead in leads[1:]] + [(leads[0], key)] * 2
    outcomes = round_.race(
        *(
            partial(_settle, case.image.pk, account(lead).pk, lead.code, looked_at, each)
            for lead, each in sent
        )
    )
    stored = Adjudication.objects.get(image=case.image)
    won = {each.note for each in outcomes if isinstance(each, Adjudication)}
    round_.holds("one value, the winner's", (stored.version, won) == (1, {stored.note}))
    told = {each.current.note for each in outcomes if hasattr(each, "current")}
    round_.holds("the others are shown it", told == {stored.note})
    round_.holds("one page sent twice is answered alike", _alike(*outcomes[-2:]))
    events = Event.objects.filter(project=case.project, verb="adjudicated").count()
    round_.holds("one Event", events == 1)


def settle_and_reopen(round_: Round) -> None:
    """A lead adjudicates an image while one of its annotators reopens their annotation."""
    case = make_case(make_project())
    looked_at = seen(annotations_of(case.image, "anatomy"))
    assignment = Assignment.objects.select_related("batch__project", "annotator__user").get(
        pk=case.a.assignment_id
    )
    reopen = partial(
        reopen_annotation,
        assignment=assignment,
        actor=account(assignment.annotator),
        replaces=1,
        request_key=uuid4(),
    )
    adjudicated, reopened = round_.race(
        partial(_settle, case.image.pk, case.user.pk, "", looked_at, uuid4()), reopen
    )
    round_.holds("the annotator's own goes through", isinstance(reopened, Annotation))
    acts = Event.objects.filter(project=case.project, verb__in=("adjudicated", "reopened")).order_by("pk")
    verbs = [each.verb for each in acts]
    won = isinstance(adjudicated, Adjudication)
    expected = ["adjudicated", "reopened"] if won else ["reopened"]
    round_.holds("adjudicated before it was reopened, or not at all", verbs == expected)
    round_.holds("a value only if it says so", Adjudication.objects.filter(image=case.image).exists() == won)
    consistent(round_, case.project)


def two_leads(round_: Round) -> None:
    """Two leads deactivate each other: one stays."""
    project = make_project()
    one, two = make_member(project, LEAD), make_member(project, LEAD)
    round_.race(
        partial(deactivate_person, membership=two, actor=account(one)),
        partial(change_role, membership=one, role="annotator", actor=account(two)),
    )
    round_.holds("one lead is left", project.memberships.filter(role=LEAD, is_active=True).count() == 1)


def _alike(one: Any, other: Any) -> bool:
    return (type(one), getattr(one, "pk", None)) == (type(other), getattr(other, "pk", None))


def _settle(image: int, user: int, note: str, looked_at: Any, key: Any) -> Adjudication:
    return adjudicate(
        image=Image.objects.get(pk=image),
        protocol="anatomy",
        actor=User.objects.get(pk=user),
        payload=ADJUDICATED,
        replaces=0,
        adjudicated_from=looked_at,
        request_key=key,
        note=note,
    )


def _change(batch: Batch, leaving: Any, outcome: str, key: Any) -> Plan:
    return apply_people_change(
        batch=batch, leaving=leaving, outcome=outcome, reason="left", actor=None, request_key=key
    )


def _submit(pk: int) -> Annotation:
    assignment = _owed(pk)
    return submit_annotation(
        assignment=assignment,
        actor=account(assignment.annotator),
        payload=noted("in time"),
        replaces=0,
        request_key=uuid4(),
    )


def _owed(pk: int) -> Assignment:
    return Assignment.objects.select_related("batch__project", "annotator__user").get(pk=pk)


def _each_image_held(round_: Round, batch: Batch) -> None:
    """Every image of the plan is assigned, never twice to one annotator, and positions have no gap."""
    held = Assignment.objects.filter(batch=batch, position__isnull=False)
    images = set(Assignment.objects.filter(batch=batch).values_list("image", flat=True))
    round_.holds("no image is nobody's", set(held.values_list("image", flat=True)) == images)
    for person in set(held.values_list("annotator", flat=True)):
        places = held.filter(annotator=person).order_by("position").values_list("position", flat=True)
        round_.holds("places have no gap", list(places) == list(range(1, len(places) + 1)))
