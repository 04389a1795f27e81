"""What a first screen shows: means by image, or as published, with the mixed model's tests."""

from __future__ import annotations

from typing import Any

from analysis.first_screen.basis import basis_of, is_shown
from analysis.first_screen.conclusions import conclusions_of
from analysis.first_screen.headline import headline_of
from analysis.first_screen.ranking import Order
from tests.analysis.first_screen.making import mean, model, pair, result

PUBLISHED: dict[str, Any] = {
    "means": [{"generator": "x", "mean": mean(0.4, n=50)}, {"generator": "y", "mean": mean(1.6, n=50)}],
    "pairs": [pair("x", "y", -1.2, clear=True)],
}


def test_means_of_images_stand_with_the_tests_of_the_mixed_model() -> None:
    found = basis_of(result(mixed_model=model(pair("x", "y", -0.8, clear=False))), "image")
    assert (found.slug, found.why, [one.mean["value"] for one in found.means]) == ("image", "", [0.5, 1.5])
    assert [test["difference"]["value"] for test in found.tests] == [-0.8]


def test_nothing_is_clear_that_the_mixed_model_does_not_find() -> None:
    """Welch's tests over images and over annotations find the pair clear."""
    stored = result(mixed_model=model(pair("x", "y", -0.8, clear=False)), by_annotation=PUBLISHED)
    for unit in ("image", "annotations"):
        order = Order(basis_of(stored, unit))
        assert not headline_of(order).clear
        assert [one.word for one in conclusions_of(stored, order)] == ["Inconclusive"]


def test_the_mixed_model_decides_the_order() -> None:
    """Whoever judged mostly x is strict, so raw means say the opposite."""
    stored = result(mixed_model=model(pair("x", "y", 0.7, clear=True), x=1.3, y=0.6))
    order = Order(basis_of(stored, "image"))
    assert [one.generator for one in order.ranked] == ["y", "x"]
    assert headline_of(order).text == "y makes the fewest anatomical errors"
    assert [order.rank(place) for place in (0, 1)] == [(1, 1), (2, 2)]
    assert [one.bold for one in conclusions_of(stored, order)] == ["y scores lower"]


def test_a_model_that_is_refused_says_why_and_gives_no_verdict() -> None:
    found = basis_of(result(mixed_model=model(refused="fewer than 2 generators")), "image")
    assert (found.slug, list(found.tests)) == ("image", [])
    assert found.why == "No generator is compared with another: fewer than 2 generators."
    assert not headline_of(Order(found)).clear


def test_as_published() -> None:
    stored = result(by_annotation=PUBLISHED)
    found = basis_of(stored, "annotations")
    assert (found.slug, found.unit, [one.n for one in found.means]) == ("annotations", "annotation", [50, 50])
    assert found.tests == stored["mixed_model"]["pairs"]


def test_the_number_without_errors_is_of_the_unit_shown() -> None:
    found = result(by_annotation=PUBLISHED)
    found["generators"][0] |= {"images_without_errors": 12, "annotations_without_errors": 17}
    for unit, clean in (("image", [12, 10]), ("annotations", [17, 12])):
        assert [mean.clean for mean in basis_of(found, unit).means] == clean


def test_results_of_other_protocols_have_no_first_screen() -> None:
    assert is_shown(result())
    assert not is_shown({"tables": []})
    assert not is_shown(result(generators=[]))
