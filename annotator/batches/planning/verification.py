"""Verify that a stored plan is what the algorithm computes from its own input."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.batches.planning.certificate import Placement, digest, read_document
from annotator.batches.planning.change.changing import propose_change
from annotator.batches.planning.change.design import is_change, read_change
from annotator.batches.planning.design import InvalidDesign
from annotator.batches.planning.plan import make_plan


def verify(document: bytes, certificate: str) -> list[str]:
    """Return the problems of the document of a plan or of a change; [] if it is valid."""
    problems: list[str] = []
    if digest(document) != certificate:
        problems.append("The certificate does not match the document: one of them was changed.")
    return problems + (_change_problems(document) if is_change(document) else _plan_problems(document))


def _plan_problems(document: bytes) -> list[str]:
    try:
        design, placements = read_document(document)
    except ValueError as error:
        return [f"The document cannot be read: {error}."]
    try:
        plan = make_plan(design)
    except InvalidDesign as error:
        return [f"The input in the document allows no plan: {error}"]
    problems = list(_differences(plan.placements, placements))
    if not problems and plan.document() != document:
        problems.append("The document is equivalent to the algorithm's, but not identical.")
    return problems


def _change_problems(document: bytes) -> list[str]:
    try:
        design, withdraw, add = read_change(document)
    except ValueError as error:
        return [f"The document cannot be read: {error}."]
    try:
        change = propose_change(design)
    except InvalidDesign as error:
        return [f"The input in the document allows no change: {error}"]
    problems = list(_differences(change.add, add))
    for image, annotator in sorted(set(change.withdraw) ^ set(withdraw)):
        what = "is" if (image, annotator) in withdraw else "is not"
        problems.append(f"Image {image[:12]} of annotator {annotator} {what} withdrawn.")
    if not problems and change.document() != document:
        problems.append("The document is equivalent to the algorithm's, but not identical.")
    return problems


def _differences(made: tuple[Placement, ...], stored: tuple[Placement, ...]) -> Iterator[str]:
    """Yield the differences between stored placements and those the algorithm computes."""
    wanted = {(one.annotator, one.position): one for one in made}
    found = {(one.annotator, one.position): one for one in stored}
    for place in sorted(wanted.keys() | found.keys()):
        should, has = wanted.get(place), found.get(place)
        if should == has:
            continue
        at = f"Annotator {place[0]}, position {place[1]}"
        if has is None and should is not None:
            yield f"{at}: image {should.image[:12]} is missing."
        elif should is None and has is not None:
            yield f"{at}: image {has.image[:12]} is not part of the plan."
        elif should is not None and has is not None and should.image != has.image:
            yield f"{at}: image {has.image[:12]} in place of {should.image[:12]}."
        elif should is not None and has is not None and should.purpose != has.purpose:
            yield f"{at}: image {has.image[:12]} is {has.purpose}, not {should.purpose}."
        elif has is not None:
            yield f"{at}: image {has.image[:12]} is{'' if has.overlap else ' not'} marked as overlap."
