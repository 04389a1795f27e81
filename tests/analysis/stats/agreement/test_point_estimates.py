"""What a report calls alpha is the library's value, wherever its arrays are affordable."""

from __future__ import annotations

import math
from typing import Any

import krippendorff
import numpy as np
import pytest

from analysis.stats.agreement import agreement as agreeing
from analysis.stats.agreement import point_estimates
from analysis.stats.agreement.agreement import agreement
from analysis.stats.agreement.point_estimates import (
    CLOSED_FORM,
    LIBRARY,
    MOST_ENTRIES,
    Point,
    from_counts,
    from_marked,
    from_numbers,
)
from analysis.stats.frames import RatingsFrame
from analysis.tables.agreement.methods import agreement_methods
from tests.analysis.stats.conftest import framed, scored
from tests.analysis.stats.test_slices import random_rows


def alphas_of(value: Any) -> list[dict[str, Any]]:
    """Every alpha of a result, wherever it stands."""
    if isinstance(value, dict):
        own = [value] if "computed_by" in value else []
        return own + [each for item in value.values() for each in alphas_of(item)]
    return [each for item in value for each in alphas_of(item)] if isinstance(value, list) else []


@pytest.mark.thorough
def test_every_value_of_a_report_is_what_the_library_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    returned: set[float] = set()
    library = krippendorff.alpha

    def watched(**given: Any) -> float:
        returned.add(found := float(library(**given)))
        return found

    monkeypatch.setattr(krippendorff, "alpha", watched)
    report = agreement(framed(*random_rows(3)))
    shown = alphas_of([report["pooled"], report["pairs"], report["by"]])
    values = {each["value"] for each in shown if each["value"] is not None}
    assert len(values) > 100
    assert values <= returned
    assert {each["computed_by"] for each in shown} <= {LIBRARY, None}
    assert all((each["value"] is None) == (each["computed_by"] is None) for each in shown)
    of_pairs = [pair["cells"]["value"] for pair in report["pairs"] if pair["cells"]["value"] is not None]
    assert report["mean_of_pairs"]["cells"] == pytest.approx(sum(of_pairs) / len(of_pairs), abs=1e-15)


@pytest.mark.study
def test_every_alpha_of_the_published_study_is_the_librarys(study_frame: RatingsFrame) -> None:
    report = agreement(study_frame)
    made = report["settings"]["point_estimates"]
    assert made["closed_form"] == 0
    assert made[LIBRARY] == len([a for a in alphas_of(report) if a["value"] is not None]) > 100


@pytest.mark.thorough
def test_past_what_is_affordable_the_closed_form_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = framed(*random_rows(4, images=30))
    whole = agreement(frame)
    for module in (agreeing, point_estimates):
        monkeypatch.setattr(module, "MOST_ENTRIES", 400)
    small = agreement(frame)
    before, after = alphas_of(whole), alphas_of(small)
    assert {each["computed_by"] for each in after if each["value"] is not None} == {LIBRARY, CLOSED_FORM}
    for one, other in zip(before, after, strict=True):
        assert one["value"] == pytest.approx(other["value"], abs=1e-12)
        assert (one["low"], one["high"], one["refused"]) == (other["low"], other["high"], other["refused"])
    made = small["settings"]["point_estimates"]
    assert made["closed_form"] == len([e for e in after if e["computed_by"] == CLOSED_FORM]) > 50
    text = agreement_methods(small)
    assert (
        f"Of {len([e for e in after if e['computed_by']]):,} alphas {made[LIBRARY]:,} are values of " in text
    )


def test_many_pairs_share_what_one_alpha_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreeing, "MOST_ENTRIES_OF_PAIRS", 30 * 400)
    scores = {who: {i: f"{(i * k) % 19}/20" for i in range(12)} for k, who in enumerate("ABCD", start=3)}
    report = agreement(scored(scores))
    assert len(report["pairs"]) * 5 == 30
    assert {pair["cumulative_score"]["computed_by"] for pair in report["pairs"]} == {CLOSED_FORM}
    assert {pair["overall_severity"]["computed_by"] for pair in report["pairs"]} == {LIBRARY}
    assert report["pooled"]["cumulative_score"]["computed_by"] == LIBRARY


def test_limits_count_units_times_values_squared() -> None:
    counts = np.array([[1, 1, 0], [0, 2, 0], [0, 1, 1], [2, 0, 0]])
    expected = krippendorff.alpha(value_counts=counts, level_of_measurement="ordinal")
    assert from_counts(counts, "ordinal", 0.5, most=36) == Point(expected, LIBRARY)
    assert from_counts(counts, "ordinal", 0.5, most=35) == Point(0.5, CLOSED_FORM)
    values, units = np.array([1.0, 2.0, 2.0, 4.0, 4.0, 4.5]), np.array([0, 0, 1, 1, 2, 2])
    table = np.array([[1.0, 2.0, 4.0], [2.0, 4.0, 4.5]])
    expected = krippendorff.alpha(table, level_of_measurement="interval")
    found = from_numbers(values, units, 3, 0.5, most=48)
    assert found.value == pytest.approx(expected, abs=1e-15)
    assert found.computed_by == LIBRARY
    assert from_numbers(values, units, 3, 0.5, most=47) == Point(0.5, CLOSED_FORM)


def test_what_has_no_value_is_not_asked_of_the_library() -> None:
    """Of one value, or of no unit with two coders, it raises ValueError; of one level it gives NaN."""
    nothing = (math.nan, None)
    equal = from_numbers(np.ones(4), np.array([0, 0, 1, 1]), 2, math.nan)
    unmarked = from_marked(np.zeros((3, 25), dtype=np.int64), np.full(3, 2), math.nan)
    for found in (equal, unmarked, from_counts(np.zeros((0, 3), dtype=np.int64), "ordinal", math.nan)):
        assert (math.isnan(found.value), found.computed_by) == (True, nothing[1])


def test_very_many_values_are_found_out_without_counting_them() -> None:
    rng = np.random.default_rng(1)
    values, units = rng.random(200_000), np.repeat(np.arange(100_000), 2)
    assert from_numbers(values, units, 100_000, 0.25) == Point(0.25, CLOSED_FORM)
    assert MOST_ENTRIES < 100_000 * 200_000


@pytest.mark.thorough
def test_methods_name_the_library_only_where_it_computed() -> None:
    frame = framed(*random_rows(5))
    report = agreement(frame)
    text = agreement_methods(report)
    assert (
        f"All {report['settings']['point_estimates'][LIBRARY]:,} alphas are values of krippendorff.alpha"
        in text
    )
    assert "krippendorff 0." in text
