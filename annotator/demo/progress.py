"""The demo's work in progress: anchors, repeats, somebody who drifts, a norming session and named causes.

Everything is written as annotators would have left it over the last two weeks. Their habits are known by
construction, so every page on quality has something to show, and what it should show is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Final
from uuid import uuid4

from django.utils import timezone

from annotator.annotations.adjudication import adjudicate, annotations_of, seen
from annotator.annotations.causes import CauseChoice, proposals_for
from annotator.annotations.saving import checked_annotation
from annotator.annotations.summaries import summarise
from annotator.batches.checks import with_checks
from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.releases import release_plan
from annotator.database.transactions import write_transaction
from annotator.demo.training import PROTOCOL, Place, Planted, make_reference, planted_by_image
from annotator.models import (
    Annotation,
    Assignment,
    Batch,
    Event,
    Image,
    Membership,
    NormingSession,
    Project,
    User,
)
from annotator.norming.closing import close_session
from annotator.norming.discussing import agree
from annotator.norming.revealing import reveal
from annotator.norming.starting import start_session
from annotator.protocols.registry import counted_cells_of
from annotator.signals import answers_moved
from scoring.grid.notation import Term
from scoring.grid.taxonomy import CELLS, SEVERITIES
from scoring.service import get_protocol

NAME: Final = "Work in progress"
BATCH: Final = "Batch 1"
NORMING: Final = "Batch 2"
ANCHORS: Final = 14
REPEATS: Final = 25
"""Percent of an annotator's images."""
OPEN: Final = 4
"""Images that everybody still has to annotate."""
DAYS: Final = 14
ADJUDICATED: Final = 12
NORMED: Final = 4
SEED: Final = 7
GAP: Final = "The guideline does not say how large this must be to count."


@dataclass(frozen=True)
class Habits:
    """How somebody judges: the chances of missing an error and of another severity, and the usual time.

    From the anchor `drifts_from` on, every error seems one step more severe, and two more are seen.
    """

    code: str
    misses: float = 0.1
    shifts: float = 0.15
    seconds: float = 35.0
    drifts_from: int | None = None


PEOPLE: Final = (
    Habits("ann1"),
    Habits("ann2", drifts_from=8),
    Habits("ann3", misses=0.3, shifts=0.3, seconds=3.5),
)


def build_progress(project: Project, truth: Path, lead: User) -> None:
    """Fill a project that has the drawn figures and a lead; all or nothing, and safe to repeat."""
    if project.batches.exists():
        return
    planted = planted_by_image(truth)
    with write_transaction():
        people = {one.code: _annotator(project, one.code) for one in PEOPLE}
        batch = _release(project, planted, list(people.values()), lead)
        for habits in PEOPLE:
            queue = batch.assignments.filter(annotator=people[habits.code]).select_related("image")
            _judge(habits, list(queue.order_by("position"))[:-OPEN], planted, DAYS)
        _tell(batch)
        work = batch.assignments.filter(purpose=Assignment.Purpose.WORK, status=Assignment.Status.DONE)
        images = list(project.images.filter(pk__in=work.values("image")).order_by("pk"))
        summarise(project.pk, [image.pk for image in images], PROTOCOL)
        left = batch.assignments.filter(status=Assignment.Status.OPEN).values_list("image", flat=True)
        finished = [image for image in images if image.pk not in set(left)]
        differing = [image for image in finished if _differing(image)]
        for place, image in enumerate(differing[:ADJUDICATED]):
            _adjudicate(image, planted, lead, is_gap=place % 4 == 0)
        _norm(project, differing[ADJUDICATED : ADJUDICATED + NORMED], planted, list(people.values()), lead)
        answers_moved.send(sender=Annotation, project_id=project.pk, protocols=(PROTOCOL,))


def _annotator(project: Project, code: str) -> Membership:
    """Return a member with an account that nobody can sign in to."""
    user, _ = User.objects.get_or_create(username=f"{project.slug}-{code}")
    user.set_unusable_password()
    user.save()
    return Membership.objects.create(project=project, user=user, code=code, role=Membership.Role.ANNOTATOR)


def _release(
    project: Project, planted: Mapping[Place, Sequence[Planted]], people: Sequence[Membership], lead: User
) -> Batch:
    """Everybody judges every image, so that there is agreement to report; anchors are outside of the work."""
    images = list(project.images.order_by("pk"))
    chosen = images[:: len(images) // ANCHORS][:ANCHORS]
    for image in chosen:
        make_reference(image, planted.get(_place(image), ()), lead)
    design = design_of(
        project=project,
        images=project.images.exclude(pk__in=[image.pk for image in chosen]),
        people=people,
        overlap=Fraction(1),
        coders=len(people),
        seed=SEED,
    )
    percent = -(-100 * ANCHORS // len(design.images))
    checked = with_checks(project, design, people, protocol=PROTOCOL, anchors=percent, repeats=REPEATS)
    return release_plan(project=project, name=BATCH, plan=make_plan(checked), actor=lead, protocol=PROTOCOL)


def _judge(
    habits: Habits, rows: Sequence[Assignment], planted: Mapping[Place, Sequence[Planted]], days: int
) -> None:
    """Store what somebody submitted over the last days, in the order of their queue."""
    protocol, weights = get_protocol(PROTOCOL), rows[0].image.project.exact_weights
    made = []
    anchors = 0
    for row, moment in zip(rows, _moments(len(rows), days), strict=True):
        anchors += row.purpose == Assignment.Purpose.ANCHOR
        drifts = habits.drifts_from is not None and anchors > habits.drifts_from
        chance = Random(f"{habits.code} {row.image.sha256} {row.pass_no}")  # noqa: S311 - simulated, no secret
        terms = _seen(habits, planted.get(_place(row.image), ()), chance, drifts=drifts)
        payload, ratings = checked_annotation(_payload(terms), protocol, weights)
        made.append(
            Annotation(
                assignment=row,
                payload=payload,
                ratings=ratings,
                status=Annotation.Status.SUBMITTED,
                active_ms=round(1000 * habits.seconds * chance.uniform(0.6, 1.6)),
                saved_at=moment,
                submitted_at=moment,
            )
        )
    Annotation.objects.bulk_create(made)
    done = Assignment.objects.filter(pk__in=[row.pk for row in rows])
    done.update(status=Assignment.Status.DONE)


def _tell(batch: Batch) -> None:
    """Record the submissions as Events, in the order of their time."""
    done = batch.assignments.filter(annotation__isnull=False).order_by("annotation__submitted_at", "pk")
    Event.objects.bulk_create(
        Event(project_id=batch.project_id, assignment=row, actor=row.annotator.user, verb="submitted")
        for row in done.select_related("annotator__user")
    )


def _moments(count: int, days: int) -> Iterator[datetime]:
    """Yield times from `days` ago until an hour ago, at equal distances."""
    end = timezone.now() - timedelta(hours=1)
    step = timedelta(days=days) / max(1, count)
    return (end - (count - 1 - place) * step for place in range(count))


def _seen(
    habits: Habits, errors: Sequence[Planted], chance: Random, *, drifts: bool
) -> dict[str, dict[str, Term]]:
    """Return what somebody marks, by cell and severity, of the errors that are there."""
    found: dict[str, dict[str, Term]] = defaultdict(dict)
    for error in errors:
        if chance.random() < habits.misses:
            continue
        step = chance.choice((-1, 1)) if chance.random() < habits.shifts else 0
        place = min(max(SEVERITIES.index(error["severity"]) + step + drifts, 0), len(SEVERITIES) - 1)
        affected, total = int(error["affected"]), int(error["total"])
        earlier = found[error["cell"]].get(SEVERITIES[place])
        affected = min(total, affected + (earlier.affected if earlier else 0))
        found[error["cell"]][SEVERITIES[place]] = Term(affected, total, SEVERITIES[place])
    if drifts:
        for cell in chance.sample(CELLS, 2):
            found[cell.key].setdefault("c", Term(1, 2, "c"))
    elif chance.random() < habits.misses:
        found[chance.choice(CELLS).key].setdefault("a", Term(1, 2, "a"))
    return found


def _payload(terms: Mapping[str, Mapping[str, Term]]) -> dict[str, Any]:
    marked = {cell: list(each.values()) for cell, each in terms.items()}
    return counted_cells_of(PROTOCOL).payload(marked, not marked)


def _truth(image: Image, planted: Mapping[Place, Sequence[Planted]]) -> dict[str, Any]:
    """Return what is planted in an image, which is what its adjudication and the agreed value say."""
    nothing = Habits("", misses=0, shifts=0)
    return _payload(_seen(nothing, planted.get(_place(image), ()), Random(0), drifts=False))  # noqa: S311


def _place(image: Image) -> Place:
    return image.generator, image.prompt, image.number or 0


def _differing(image: Image) -> list[str]:
    """Return the components in which the annotations of an image differ."""
    payloads = [one.payload for one in annotations_of(image, PROTOCOL)]
    return sorted(proposals_for(get_protocol(PROTOCOL), payloads)) if len(payloads) > 1 else []


def _adjudicate(
    image: Image, planted: Mapping[Place, Sequence[Planted]], lead: User, *, is_gap: bool
) -> None:
    first = _differing(image)[0]
    adjudicate(
        image=image,
        protocol=PROTOCOL,
        actor=lead,
        payload=_truth(image, planted),
        replaces=0,
        settled_from=seen(annotations_of(image, PROTOCOL)),
        request_key=uuid4(),
        causes={first: CauseChoice(("guideline_gap",), GAP)} if is_gap else {},
    )


def _norm(
    project: Project,
    images: Sequence[Image],
    planted: Mapping[Place, Sequence[Planted]],
    people: Sequence[Membership],
    lead: User,
) -> None:
    """Hold a norming session on images that people judged differently, until it is closed."""
    session = start_session(
        project=project,
        name=NORMING,
        protocol=PROTOCOL,
        people=people,
        picked=NormingSession.Picked.CHOSEN,
        count=len(images),
        images=[image.pk for image in images],
        actor=lead,
    )
    for person, habits in zip(people, PEOPLE, strict=True):
        rows = session.batch.assignments.filter(annotator=person).select_related("image").order_by("position")
        _judge(habits, list(rows), planted, 1)
    reveal(session=session, actor=lead)
    agreed = [
        agree(
            normed=row,
            actor=lead,
            payload=_truth(row.image, planted),
            gaps={},
            replaces=row.version,
            causes={},
        )
        for row in session.images.select_related("image", "session__batch", "session__project")
    ]
    close_session(session=session, references=[row.pk for row in agreed], actor=lead)
