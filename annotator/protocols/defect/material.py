"""What a check and a rating of descriptions are made from: the annotations of the batch that was followed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from string import digits
from typing import Any, Final

from django.db.models import QuerySet
from django.db.models.fields.json import KeyTextTransform

from annotator.models import (
    Adjudication,
    Annotation,
    Assignment,
    Batch,
    Image,
    Project,
    Suggestion,
    SuggestionRun,
)
from annotator.models.counting import is_work
from annotator.protocols.base import Difference
from scoring.defect.consolidation import CHECK, Checked, Vote, checked, letters_of, made_from
from scoring.defect.marks import MARKS, clean
from scoring.defect.repeated import MADE_FROM
from scoring.protocol import Payload

DESCRIBED: Final = "description"
"""The key of the text of a suggested reference, and of what a model wrote."""
MODEL: Final = "model"
DEFECTIVE: Final = "defective"
"""The key of whether a model calls an image defective."""
MOST_MODELS: Final = 6
KeptMarks = dict[tuple[int, str, int], Vote]
"""What is kept, by image, code of the annotator and number among those of their defects that have a mask."""
_AT_ONCE: Final = 200
"""Images whose checks are read at once."""
_FEW: Final = 500
"""Up to so many images are named in a query."""


def submitted(**which: Any) -> QuerySet[Annotation]:
    """Return the submitted annotations of the assignments for work that `which` selects, the latest last."""
    return Annotation.objects.filter(
        is_work("assignment__"),
        status=Annotation.Status.SUBMITTED,
        **{f"assignment__{name}": value for name, value in which.items()},
    ).order_by("submitted_at", "pk")


def marks_to_check(assignment: Assignment) -> Payload:
    """Return the masks and descriptions of the followed batch by letter, and the effects on the image."""
    own = submitted(image=assignment.image, batch=assignment.batch.follows).select_related("assignment")
    rows = list({row.assignment.annotator_id: row for row in own}.values())
    by_annotation = {row.pk: row for row in rows}
    seed = assignment.batch.follows.seed if assignment.batch.follows else 0
    items, effects = [], []
    for pk, letter in letters_of(by_annotation, assignment.image.sha256, seed or 0).items():
        marks = clean(by_annotation[pk].payload, complete=False)
        effects += [] if marks.effect is None else [marks.effect]
        for number, (one, mask) in enumerate(marks.masked, 1):
            # A box need not be described: its body part and severity are.
            text = one.text or ", ".join(one.details).capitalize()
            items.append({"key": f"{letter}{number}", "mask": mask.as_json(), "kind": one.kind, "text": text})
    return {
        "made_from": made_from((row.pk, row.version) for row in rows),
        "items": items,
        "effects": sorted(effects),
    }


def codes_behind(**which: Any) -> dict[tuple[int, str], dict[str, str]]:
    """Return the code of the annotator behind each letter, by image and what checks of it are made from.

    `which` selects the assignments of marks. Two batches that check the same marks have the same letters.
    """
    latest: dict[tuple[int, int, int, str], dict[str, tuple[int, int]]] = defaultdict(dict)
    columns = ("image", "batch", "batch__seed", "image__sha256", "annotator__code")
    rows = submitted(batch__protocol=MARKS.slug, **which)
    for pk, version, image, batch, seed, digest, code in rows.values_list(
        "pk", "version", *(f"assignment__{name}" for name in columns)
    ):
        latest[image, batch, seed or 0, digest][code] = (pk, version)
    found = {}
    for (image, _, seed, digest), by_code in latest.items():
        letters = letters_of((pk for pk, _ in by_code.values()), digest, seed)
        found[image, made_from(by_code.values())] = {letters[pk]: code for code, (pk, _) in by_code.items()}
    return found


def outdated_checks(checks: QuerySet[Annotation]) -> set[int]:
    """Return which checks were made of marks that have been reopened or changed since; two queries."""
    columns = ("pk", "assignment__image", "assignment__batch__follows")
    rows = list(checks.order_by().values_list(*columns, KeyTextTransform(MADE_FROM, "payload")))
    images = {image for _, image, *_ in rows}
    few = {"image__in": images} if len(images) <= _FEW else {}
    now = codes_behind(batch__in={batch for _, _, batch, _ in rows if batch}, **few)
    return {pk for pk, image, batch, made in rows if batch and (image, made) not in now}


def stored_payload(assignment: Assignment) -> Payload:
    """Return what an assignment's annotation says; nothing if it is not begun."""
    row = Annotation.objects.filter(assignment=assignment).first()
    return dict(row.payload) if row else {}


def kept_of(assignment: Assignment) -> list[Difference] | None:
    """Return what the checks kept of an annotation's marks, and the reference; None until they are closed."""
    check = Batch.objects.filter(follows=assignment.batch_id, protocol=CHECK.slug).order_by("-pk").first()
    is_closed = check is not None and check.status == Batch.Status.CLOSED
    found = checked_in(check, assignment.image) if is_closed else None
    if found is None:
        return None
    codes = codes_behind(image=assignment.image, batch=assignment.batch)[assignment.image_id, found.made_from]
    letter = next((letter for letter, code in codes.items() if code == assignment.annotator.code), None)
    if letter is None:
        return None
    rows = []
    for number, (one, _) in enumerate(clean(assignment.annotation.payload, complete=False).masked, 1):
        kept = zip(("mask", "description"), found.votes[f"{letter}{number}"], strict=True)
        said = [f"{part} {'kept' if is_kept else 'dropped'}" for part, is_kept in kept]
        rows.append(Difference(f"Defect {one.number}", one.text, ", ".join(said)))
    return [*rows, Difference("Reference description", "", found.reference)]


def kept_marks(project: Project, _: str) -> KeptMarks:
    """Return what the checks of each image keep; without any that counts, the image has no entry."""
    codes = codes_behind(batch__project=project)
    found: KeptMarks = {}
    for image, made in every_checked(sorted({image for image, _ in codes})):
        behind = codes.get((image, made.made_from), {})
        for key, vote in made.votes.items():
            letter = key.rstrip(digits)
            if letter in behind:
                found[image, behind[letter], int(key.removeprefix(letter))] = vote
    return found


def every_checked(images: Sequence[int]) -> Iterator[tuple[int, Checked]]:
    """Yield what the checks made of images; many are read in several queries."""
    for start in range(0, len(images), _AT_ONCE):
        yield from checked_among(images[start : start + _AT_ONCE]).items()


def checked_in(batch: Batch | None, image: Image) -> Checked | None:
    """Return what the checks of a batch made of an image; None while nothing is to keep."""
    return checked_among([image.pk], batch=batch).get(image.pk)


def checked_among(images: Collection[int], **which: Any) -> dict[int, Checked]:
    """Return what these checks made of images, by image, for those of which something is to keep.

    `which` selects the assignments, by default of all checks.
    """
    checks = submitted(image__in=images, **(which or {"batch__protocol": CHECK.slug}))
    outdated = outdated_checks(checks)
    latest: dict[int, dict[int, Payload]] = {}
    columns = ("pk", "assignment__image", "assignment__annotator", "payload")
    for pk, image, annotator, payload in checks.values_list(*columns):
        if pk not in outdated:
            latest.setdefault(image, {})[annotator] = payload
    ruled = Adjudication.objects.filter(
        image__in=images, protocol=CHECK.slug, status=Adjudication.Status.ADJUDICATED
    )
    expert = dict(ruled.values_list("image", "payload"))
    outside = suggested_references(image__in=latest)
    made = {
        image: checked(list(own.values()), expert.get(image), outside.get(image))
        for image, own in latest.items()
    }
    return {image: found for image, found in made.items() if found is not None}


def suggestions_of(kind: SuggestionRun.Kind, **which: Any) -> QuerySet[Suggestion]:
    """Return the suggestions of a kind of runs that are not withdrawn, the latest last."""
    return Suggestion.objects.filter(run__kind=kind, run__withdrawn_at=None, **which).order_by("run")


def suggested_references(**which: Any) -> dict[int, tuple[str, str]]:
    """Return what the suggested reference of each image was made from, and its text."""
    found = suggestions_of(SuggestionRun.Kind.REFERENCE, **which).values_list("image", "payload")
    return {image: (said[MADE_FROM], said[DESCRIBED]) for image, said in found}


def said_by_models(**which: Any) -> dict[int, dict[str, Payload]]:
    """Return what each model said of each image last, by image and model."""
    found: dict[int, dict[str, Payload]] = {}
    rows = suggestions_of(SuggestionRun.Kind.DESCRIPTION, **which).values_list("image", "payload")
    for image, said in rows:
        found.setdefault(image, {})[said[MODEL]] = said
    return found


def models_of(said: Mapping[str, Payload]) -> dict[str, list[str]]:
    """Return the models that wrote a text about an image, by text, given what each model said."""
    found: dict[str, list[str]] = {}
    for model in sorted(name for name, own in said.items() if own[DESCRIBED])[:MOST_MODELS]:
        found.setdefault(said[model][DESCRIBED], []).append(model)
    return found


def descriptions_to_rate(assignment: Assignment) -> Payload:
    """Return the reference of the followed batch and the texts of models, in an order of each rater's own.

    Which model wrote a text is not said.
    """
    found = checked_in(assignment.batch.follows, assignment.image)
    texts = sorted(models_of(said_by_models(image=assignment.image_id).get(assignment.image_id, {})))
    rater = f"{assignment.batch.seed}:{assignment.annotator_id}"
    drawn = sorted(texts, key=lambda text: sha256(f"{rater}:{text}".encode()).digest())
    digest = sha256("\n".join([found.made_from if found else "", *texts]).encode()).hexdigest()
    return {
        "made_from": digest[:16],
        "reference": found.reference if found else "",
        "candidates": [{"key": f"c{number}", "text": text} for number, text in enumerate(drawn, 1)],
    }
