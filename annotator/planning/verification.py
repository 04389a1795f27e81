"""Does a stored plan stand: is it what the algorithm makes of its own input?"""

from __future__ import annotations

from collections.abc import Iterator

from annotator.planning.certificate import Placement, digest, read_document
from annotator.planning.design import InvalidDesign
from annotator.planning.plan import make_plan


def verify(document: bytes, certificate: str) -> list[str]:
    """Return what is wrong with a plan's document, in words; nothing if the plan stands."""
    problems = []
    if digest(document) != certificate:
        problems.append("The certificate does not belong to this document: one of them has been changed.")
    try:
        design, placements = read_document(document)
    except ValueError as error:
        return [*problems, f"The document cannot be read: {error}."]
    try:
        plan = make_plan(design)
    except InvalidDesign as error:
        return [*problems, f"The document's input allows no plan: {error}"]
    problems += differences(plan.placements, placements)
    if not problems and plan.document() != document:
        problems.append("The document says the same in other words than the algorithm writes.")
    return problems


def differences(made: tuple[Placement, ...], stored: tuple[Placement, ...], most: int = 10) -> list[str]:
    """Return in words where stored placements differ from those the algorithm makes."""
    found = list(_differences(made, stored))
    more = [f"… and {len(found) - most} more."] if len(found) > most else []
    return found[:most] + more


def _differences(made: tuple[Placement, ...], stored: tuple[Placement, ...]) -> Iterator[str]:
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
        elif has is not None:
            yield f"{at}: image {has.image[:12]} is{'' if has.overlap else ' not'} marked as overlap."
