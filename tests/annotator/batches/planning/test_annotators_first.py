"""The annotators are read from the beginning of a document, whole or in pieces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from annotator.batches.planning import (
    ChangeDesign,
    Design,
    Held,
    PlanAnnotator,
    PlanImage,
    make_plan,
    propose_change,
)
from annotator.batches.planning.certificate import annotators_first

# A name that tries to look like the design.
PEOPLE = (PlanAnnotator('a"design":{"annotators":[]', 4), PlanAnnotator("b ä"), PlanAnnotator("c"))
IMAGES = tuple(PlanImage(f"{at:02}", "g", "p") for at in range(6))


def plan_document() -> bytes:
    return make_plan(Design(IMAGES, PEOPLE, overlap=0)).document()


def change_document() -> bytes:
    held = tuple(Held(image.key, "gone", at, "open") for at, image in enumerate(IMAGES, start=1))
    owed = {image.key: 1 for image in IMAGES}
    design = ChangeDesign(IMAGES, PEOPLE, frozenset({"gone"}), held, owed, seed=1)
    return propose_change(design).document()


@pytest.mark.parametrize("document", [plan_document(), change_document()])
@pytest.mark.parametrize("length", [1, 7, 64, 10_000])
def test_in_pieces_of_any_length(document: bytes, length: int) -> None:
    pieces = (document[start : start + length] for start in range(0, len(document), length))
    assert annotators_first(pieces) == PEOPLE


def test_nothing_is_read_that_is_not_needed() -> None:
    def pieces() -> Iterator[bytes]:
        yield plan_document()[:200]
        raise AssertionError("read on")

    assert annotators_first(pieces()) == PEOPLE


@pytest.mark.parametrize("document", [b"", b"{}", plan_document()[:60]])
def test_a_document_without_them(document: bytes) -> None:
    with pytest.raises(ValueError, match="no annotators"):
        annotators_first([document])
