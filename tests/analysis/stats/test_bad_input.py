"""Projects with too little, or nothing that differs: every number is right or refused with the reason."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from analysis.protocols.anatomy.agreement import anatomy_agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats import bootstrap_intervals
from analysis.stats.bootstrap_intervals import NEVER_VARIES
from analysis.stats.comparison.generators import BY_IMAGE
from analysis.stats.comparison.welch import NO_VARIANCE
from analysis.stats.frames import RatedAnnotation
from analysis.stats.generic.alphas import ALL_EQUAL
from analysis.tables.generic import result_findings, result_methods, result_tables
from analysis.tables.table import as_text
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of

SOME = {"missing.limbs": "1/4c", "extra.hands": "1/2a"}


def varied(images: int, names: str, generators: str = "xyz", each: int = 1) -> list[RatedAnnotation]:
    """Images of the generators in turn with marks that differ, each judged by so many of the annotators."""
    return [
        rated(
            image,
            names[(image // 2 + turn) % len(names)],
            {"missing.limbs": f"1/{1 + (image * 5 + turn) % 7}{'abc'[(image * turn) % 3]}"},
            generator=generators[image % len(generators)],
            prompt=f"p{image // 3 % 3}",
        )
        for image in range(images)
        for turn in range(each)
    ]


def alike(images: int, cells: dict[str, str]) -> list[RatedAnnotation]:
    """Images of three generators, each judged alike by two annotators."""
    return [rated(image, who, cells, generator="xyz"[image % 3]) for image in range(images) for who in "AB"]


PROJECTS: dict[str, list[RatedAnnotation]] = {
    "nothing": [],
    "one annotation": varied(1, "A"),
    "one image": varied(1, "ABC", each=3),
    "two images": varied(2, "AB", each=2),
    "no doubles": varied(40, "AB"),
    "one annotator": varied(30, "A"),
    "one generator": varied(30, "AB", "x", each=2),
    "all scores equal": alike(30, SOME),
    "few, all scores equal": alike(7, SOME),
    "no errors anywhere": alike(30, {}),
    "thirds that add up unevenly": [
        rated(image, who, {"missing.face": "1/10c"}, generator="xy"[image % 2])
        for image in range(4)
        for who in "ABC"
    ],
    "one mark in all": [*alike(29, {}), rated(29, "A", SOME), rated(29, "B", {})],
    "one of two never marks": [rated(i, who, SOME if who == "A" else {}) for i in range(30) for who in "AB"],
    "many annotators": varied(5, "ABCDEFGH", each=8),
    "empty names": [
        rated(i, who, {"missing.face": f"1/{i + 1}c"}, generator="", prompt="", prompt_group="")
        for i in range(12)
        for who in "AB"
    ],
}


@pytest.fixture(autouse=True)
def few_replicates(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(bootstrap_intervals, "REPLICATES", 200)
    bootstrap_intervals._weightings.cache_clear()
    yield
    bootstrap_intervals._weightings.cache_clear()


def estimates(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every estimate in a result."""
    if isinstance(value, dict) and "refused" in value and "low" in value:
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from estimates(each)


@pytest.mark.parametrize("report", [anatomy_agreement, anatomy_comparison])
@pytest.mark.parametrize("project", PROJECTS)
@pytest.mark.few(12)
def test_every_number_is_right_or_refused_in_words(project: str, report: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = report(framed(*PROJECTS[project]))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    for estimate in estimates(found):
        whole = None not in (estimate["value"], estimate["low"], estimate["high"])
        assert whole == (estimate["refused"] is None), estimate
        assert (estimate["low"] is None) == (estimate["high"] is None)
        assert not whole or estimate["low"] <= estimate["high"]
    assert result_findings(found)
    assert result_methods(found)
    for table in result_tables(found):
        assert "nan" not in as_text(table).lower().replace("annan", "")


def alpha_of(project: str) -> Any:
    return rows_of(anatomy_agreement(framed(*PROJECTS[project])), "agreement")[0]["pooled"]


@pytest.mark.parametrize(
    ("project", "reason"),
    [
        ("nothing", "too few: 0 images"),
        ("one image", "too few: 1 image"),
        ("no doubles", "too few: 0 images"),
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
