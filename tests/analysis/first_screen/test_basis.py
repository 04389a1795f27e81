"""Which analysis leads: the declared one, by image, or as published."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.basis import basis_of, is_shown
from tests.analysis.first_screen.making import mean, pair, result

ADJUSTED: dict[str, Any] = {
    "refused": None,
    "means": [{"generator": "x", "mean": mean(0.6)}, {"generator": "y", "mean": mean(1.4)}],
    "pairs": [pair("x", "y", -0.8, clear=True)],
}
SKEWED = {"balanced": False, "words": "One annotator made 80% of x.", "counts": [], "annotators": []}
EVEN = SKEWED | {"balanced": True, "words": "Evenly."}


def test_images_lead_until_something_is_declared() -> None:
    found = basis_of(result(adjusted=ADJUSTED, balance=EVEN), "", "image")
    assert (found.slug, found.why, [one.mean["value"] for one in found.means]) == ("image", "", [0.5, 1.5])
    assert found.title == "image means"


def test_the_declared_analysis_leads() -> None:
    found = basis_of(result(adjusted=ADJUSTED, balance=EVEN), "adjusted", "image")
    assert (found.slug, [one.mean["value"] for one in found.means]) == ("adjusted", [0.6, 1.4])
    found = basis_of(result(mixed_model=ADJUSTED), "mixed", "image")
    assert found.slug == "mixed"


def test_a_skewed_balance_makes_the_adjusted_difference_lead_with_the_reason() -> None:
    found = basis_of(result(adjusted=ADJUSTED, balance=SKEWED), "", "image")
    assert (found.slug, found.why) == ("adjusted", SKEWED["words"])
    # Whoever declared image means before gets them.
    assert basis_of(result(adjusted=ADJUSTED, balance=SKEWED), "image", "image").slug == "image"


@pytest.mark.parametrize("declared", ["adjusted", "mixed"])
def test_a_declared_analysis_that_is_refused_is_said(declared: str) -> None:
    keys = {"adjusted": "adjusted", "mixed": "mixed_model"}
    refused = {keys[declared]: {"refused": "not connected", "means": [], "pairs": []}}
    found = basis_of(result(**refused), declared, "image")
    assert found.slug == "image"
    assert found.why == (
        "The declared analysis could not be computed: not connected. Image means are shown instead."
    )


def test_as_published() -> None:
    published = {
        "means": [{"generator": "x", "mean": mean(0.4, n=50)}, {"generator": "y", "mean": mean(1.6, n=50)}],
        "pairs": [pair("x", "y", -1.2, clear=True)],
    }
    found = basis_of(result(by_annotation=published), "adjusted", "annotations")
    assert (found.slug, found.unit, [one.n for one in found.means]) == ("annotations", "annotation", [50, 50])


def test_the_number_without_errors_is_of_the_unit_shown() -> None:
    found = result(adjusted=ADJUSTED, by_annotation={"means": ADJUSTED["means"], "pairs": []})
    found["generators"][0] |= {"images_without_errors": 12, "annotations_without_errors": 17}
    units = (("", "image", 12, 10), ("adjusted", "image", 12, 10), ("", "annotations", 17, 12))
    for declared, unit, clean, other in units:
        assert [one.clean for one in basis_of(found, declared, unit).means] == [clean, other]


def test_results_of_other_protocols_have_no_first_screen() -> None:
    assert is_shown(result())
    assert not is_shown({"tables": []})
    assert not is_shown(result(generators=[]))
