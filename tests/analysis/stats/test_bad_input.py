"""Projects with too little, or nothing that differs: every number is right or refused with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.protocols.anatomy.agreement import anatomy_agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats.bootstrap_intervals import NEVER_VARIES
from analysis.stats.comparison.generators import BY_IMAGE
from analysis.stats.comparison.welch import NO_VARIANCE
from analysis.stats.frames import RatedAnnotation
from analysis.stats.generic.alphas import ALL_EQUAL
from analysis.stats.generic.tables import rows_of
from tests.analysis.stats.conftest import framed, rated

SOME = {"missing.limbs": "1/4c", "extra.hands": "1/2a"}


def alike(images: int, cells: dict[str, str]) -> list[RatedAnnotation]:
    """Images of three generators, each judged alike by two annotators."""
    return [rated(image, who, cells, generator="xyz"[image % 3]) for image in range(images) for who in "AB"]


PROJECTS: dict[str, list[RatedAnnotation]] = {
    "nothing": [],
    "one image": [rated(0, who, SOME) for who in "ABC"],
    "no doubles": [rated(image, "AB"[image % 2], SOME) for image in range(40)],
    "all scores equal": alike(30, SOME),
    "no errors anywhere": alike(30, {}),
    "thirds that add up unevenly": [
        rated(image, who, {"missing.face": "1/10c"}, generator="xy"[image % 2])
        for image in range(4)
        for who in "ABC"
    ],
    "one of two never marks": [rated(i, who, SOME if who == "A" else {}) for i in range(30) for who in "AB"],
}


def alpha_of(project: str) -> Any:
    return rows_of(anatomy_agreement(framed(*PROJECTS[project])), "agreement")[0]["pooled"]


@pytest.mark.parametrize(
    ("project", "reason"),
    [
        ("nothing", "too few: 0 of 5 images"),
        ("one image", "too few: 1 of 5 images"),
        ("no doubles", "too few: 0 of 5 images"),
        ("all scores equal", ALL_EQUAL),
        ("no errors anywhere", ALL_EQUAL),
        ("one of two never marks", NEVER_VARIES),
    ],
)
def test_alpha_is_refused_for_the_reason_that_holds(project: str, reason: str) -> None:
    assert alpha_of(project)["refused"] == reason


def test_two_who_always_differ_alike_have_the_alpha_of_the_formula() -> None:
    # One half of the values is 0, the other 1.1: Do is twice De but for the pair a value makes with itself.
    assert alpha_of("one of two never marks")["value"] == pytest.approx(1 - 59 / 30)


@pytest.mark.parametrize("project", ["all scores equal", "no errors anywhere", "thirds that add up unevenly"])
def test_equal_scores_are_not_tested(project: str) -> None:
    """(0.1 + 0.1 + 0.1) / 3 is not 0.1: rounding must not pass for variance."""
    found = anatomy_comparison(framed(*PROJECTS[project]))
    plain = [row["difference"]["refused"] for row in rows_of(found, "plain") if row["method"] == BY_IMAGE]
    assert set(plain) == {NO_VARIANCE}
    assert found["model"]["refused"] == "the scores do not vary within generators"
    assert rows_of(found, "generators")[0]["mean"]["refused"] == "all scores are equal"
