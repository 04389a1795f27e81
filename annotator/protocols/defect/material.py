"""What a check and a rating of descriptions are made from: the annotations of the batch that was followed."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from annotator.models import Adjudication, Annotation, Assignment, Batch, Image
from annotator.models.counting import is_work
from annotator.protocols.base import Difference
from scoring.defect.consolidation import CHECK, Checked, checked, letters_of, made_from
from scoring.defect.marks import clean
from scoring.protocol import Payload

DESCRIPTION: Final = "description."
"""Begins the name of the attribute of an image with what a model wrote of it: `description.model-x`."""
MOST_MODELS: Final = 6


def marks_to_check(assignment: Assignment) -> Payload:
    """Return the masks and descriptions of the followed batch by letter, and the effects on the image."""
    rows = _submitted(assignment.image, batch=assignment.batch.follows)
    by_annotation = {row.pk: row for row in rows}
    seed = assignment.batch.seed or 0
    items, effects = [], []
    for pk, letter in letters_of(by_annotation, assignment.image.sha256, seed).items():
        marks = clean(by_annotation[pk].payload, complete=False)
        effects += [] if marks.effect is None else [marks.effect]
        items += [
            {"key": f"{letter}{number}", "mask": one.mask.as_json(), "kind": one.kind, "text": one.text}
            for number, one in enumerate((each for each in marks.defects if each.mask), 1)
            if one.mask
        ]
    return {
        "made_from": made_from((row.pk, row.version) for row in rows),
        "items": items,
        "effects": sorted(effects),
    }


def stored_payload(assignment: Assignment) -> Payload:
    """Return what an assignment's annotation says; nothing if it is not begun."""
    row = Annotation.objects.filter(assignment=assignment).first()
    return dict(row.payload) if row else {}


def kept_of(assignment: Assignment) -> list[Difference] | None:
    """Return what the checks kept of an annotation's marks, and the reference; None until they are closed."""
    check = Batch.objects.filter(follows=assignment.batch_id, protocol=CHECK.slug).order_by("-pk").first()
    if check is None or check.status != Batch.Status.CLOSED:
        return None
    found = checked_in(check, assignment.image)
    codes = letters_in(check).get(assignment.image_id, {})
    letter = next((letter for letter, code in codes.items() if code == assignment.annotator.code), "")
    if found is None or not letter:
        return None
    marked = [one for one in clean(assignment.annotation.payload, complete=False).defects if one.mask]
    rows = []
    for number, one in enumerate(marked, 1):
        parts = (("mask", found.kept.masks), ("description", found.kept.texts))
        said = [f"{part} {'kept' if f'{letter}{number}' in kept else 'dropped'}" for part, kept in parts]
        rows.append(Difference(f"Defect {one.number}", one.text, ", ".join(said)))
    return [*rows, Difference("Reference description", "", found.reference)]


def letters_in(batch: Batch) -> dict[int, dict[str, str]]:
    """Return the code of the annotator behind each letter, by image of a check."""
    rows = Annotation.objects.filter(
        is_work("assignment__"), assignment__batch=batch.follows_id, status=Annotation.Status.SUBMITTED
    ).order_by("submitted_at", "pk")
    latest: dict[tuple[int, str], dict[str, int]] = {}
    columns = ("pk", "assignment__image", "assignment__image__sha256", "assignment__annotator__code")
    for pk, image, digest, code in rows.values_list(*columns):
        latest.setdefault((image, digest), {})[code] = pk
    found = {}
    for (image, digest), by_code in latest.items():
        letters = letters_of(by_code.values(), digest, batch.seed or 0)
        found[image] = {letters[pk]: code for code, pk in by_code.items()}
    return found


def checked_in(batch: Batch | None, image: Image) -> Checked | None:
    """Return what the checks of a batch made of an image; None while nothing is to keep."""
    return _checked(image, _submitted(image, batch=batch))


def checked_image(image: Image) -> Checked | None:
    """Return what all checks made of an image; None while nothing is to keep."""
    return _checked(image, _submitted(image, batch__protocol=CHECK.slug))


def _checked(image: Image, rows: list[Annotation]) -> Checked | None:
    adjudicated = Adjudication.objects.filter(
        image=image, protocol=CHECK.slug, status=Adjudication.Status.ADJUDICATED
    ).first()
    return checked([row.payload for row in rows], adjudicated.payload if adjudicated else None)


def _described(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Return what models have written about an image, by model."""
    found = {
        name.removeprefix(DESCRIPTION): str(text).strip()
        for name, text in sorted(attributes.items())
        if name.startswith(DESCRIPTION) and str(text).strip()
    }
    return dict(list(found.items())[:MOST_MODELS])


def models_of(attributes: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the models that wrote a text, by text."""
    found: dict[str, list[str]] = {}
    for model, text in _described(attributes).items():
        found.setdefault(text, []).append(model)
    return found


def descriptions_to_rate(assignment: Assignment) -> Payload:
    """Return the reference of the followed batch and the texts of models, in an order of each rater's own.

    Which model wrote a text is not said.
    """
    found = checked_in(assignment.batch.follows, assignment.image)
    texts = sorted(models_of(assignment.image.attributes))
    drawn = sorted(
        texts,
        key=lambda text: sha256(
            f"{assignment.batch.seed}:{assignment.annotator_id}:{text}".encode()
        ).digest(),
    )
    digest = sha256("\n".join([found.made_from if found else "", *texts]).encode()).hexdigest()
    return {
        "made_from": digest[:16],
        "reference": found.reference if found else "",
        "candidates": [{"key": f"c{number}", "text": text} for number, text in enumerate(drawn, 1)],
    }


def _submitted(image: Image, **which: Any) -> list[Annotation]:
    """Return the submitted annotations of an image in these batches, each annotator's latest."""
    found = Annotation.objects.filter(
        is_work("assignment__"),
        assignment__image=image,
        status=Annotation.Status.SUBMITTED,
        **{f"assignment__{name}": value for name, value in which.items()},
    ).select_related("assignment")
    return list({row.assignment.annotator_id: row for row in found.order_by("submitted_at", "pk")}.values())
