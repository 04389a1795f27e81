"""The demo's project of defects: all four stages on some of the drawn figures, by simulated people."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Final
from uuid import uuid4

from annotator.annotations.adjudication import adjudicate, annotations_of, seen
from annotator.annotations.given import with_given
from annotator.batches.closing import close_batch
from annotator.batches.releases import release_plan
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.batches.second_stage.drawing import Draw
from annotator.demo.simulated import Habits, Place, place_of, rows_by_image, submit
from annotator.models import Assignment, Batch, ImageSummary, Project, SuggestionRun, User
from annotator.protocols.defect import simulated
from annotator.protocols.defect.material import DEFECTIVE, DESCRIBED, MODEL
from annotator.protocols.defect.page import PAGES
from annotator.protocols.defect.simulated import Planted
from annotator.suggestions.runs import store_run
from scoring.protocol import Payload

FIGURES: Final = "images/*/*/*_0[1-3].*"
PEOPLE: Final = {
    "Verdicts": ("voter1", "voter2", "voter3"),
    "Marks": ("marker1", "marker2"),
    "Check": ("reviewer1", "reviewer2", "reviewer3"),
    "Quality": ("rater1", "rater2", "rater3"),
}
"""Those who work on each stage, in the order of the stages."""
UNDECIDED: Final = 2
"""How many images of each stage are left for the lead to decide."""
_SEED: Final = 7
Planted_by_image = Mapping[Place, Sequence[Planted]]


def planted_masks(data: Path) -> dict[Place, list[Planted]]:
    """Return the planted errors of each image with their masks."""
    by_file = defaultdict(list)
    with (data / "planted_masks.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            by_file[row["file"]].append((int(row["height"]), int(row["width"]), row["counts"]))

    def error(row: Mapping[str, str]) -> Planted:
        return simulated.planted(*by_file[row["file"]].pop(0), row["error"], row["severity"])

    return {place: list(map(error, rows)) for place, rows in rows_by_image(data / "truth.csv").items()}


def judge_in_stages(project: Project, lead: User, errors: Planted_by_image) -> None:
    """Release, submit and close the batch of each stage, and decide most of what is left open."""
    written: dict[str, dict[int, Payload]] = defaultdict(dict)
    for image in project.images.all():
        for model, text in simulated.descriptions(errors.get(place_of(image), ())).items():
            written[model][image.pk] = {MODEL: model, DEFECTIVE: bool(text), DESCRIBED: text}
    for model, suggested in written.items():
        kind = SuggestionRun.Kind.DESCRIPTION
        store_run(project=project, suggested=suggested, actor=lead, source=model, kind=kind)
    before: Batch | None = None
    for page, (name, people) in zip(PAGES, PEOPLE.items(), strict=True):
        # Accepted images go no further, but for a control sample.
        control = 10 if before and before.protocol == PAGES[0].slug else None
        draw = Draw(before.pk, control=control) if before else None
        before = _judged(project, name, page.slug, people, draw, errors)
        _decide(before, lead, errors)


def _judged(
    project: Project,
    name: str,
    protocol: str,
    people: Sequence[str],
    draw: Draw | None,
    errors: Planted_by_image,
) -> Batch:
    members = project.memberships.filter(code__in=people).order_by("code")
    request = BatchRequest(
        name=name,
        people=tuple(members.values_list("pk", flat=True)),
        overlap=Fraction(1),
        per_image=len(people),
        seed=_SEED,
        protocol=protocol,
        draw=draw,
    )
    plan = requested_plan(project, request)
    batch = release_plan(project=project, request=request, plan=plan)
    habits = {code: Habits(20) for code in people}
    submit(batch, habits, _answering(protocol, errors))
    return close_batch(batch=batch, reason="All images are done.", actor=None)


def _answering(
    protocol: str, errors: Planted_by_image
) -> Callable[[Assignment, Habits, Random, bool], dict[str, Any]]:
    verdict, marks, check, _ = (page.slug for page in PAGES)

    def answer(row: Assignment, _habits: Habits, chance: Random, _drifts: bool) -> dict[str, Any]:
        own = errors.get(place_of(row.image), ())
        if protocol == verdict:
            return simulated.verdict(own, chance)
        given: Any = with_given(row, {})
        if protocol == marks:
            return {**given, **simulated.marks(own, given["size"], chance)}
        said = simulated.votes if protocol == check else simulated.scores
        return {**given, **said(given, own, chance)}

    return answer


def _decide(batch: Batch, lead: User, errors: Planted_by_image) -> None:
    """Decide the images on which annotators differ, all but the last ones, as somebody who knows."""
    verdict, _, check, _ = (page.slug for page in PAGES)
    if batch.protocol not in (verdict, check):
        return
    open_ = {"project": batch.project, "protocol": batch.protocol, "code": "", "apart": True}
    rows = ImageSummary.objects.filter(**open_).select_related("image")
    for row in list(rows.order_by("image"))[:-UNDECIDED]:
        own = errors.get(place_of(row.image), ())
        answers = annotations_of(row.image, batch.protocol)
        payload: Payload = simulated.true_verdict(own)
        if batch.protocol == check:
            payload = {**answers[0].payload, **simulated.votes(answers[0].payload, own)}
        adjudicate(
            image=row.image,
            protocol=batch.protocol,
            actor=lead,
            payload=payload,
            replaces=0,
            adjudicated_from=seen(answers),
            request_key=uuid4(),
        )
