"""The same images in two stages and under two protocols: what counts, what is found again, what separates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.stats.generic.across import across
from analysis.stats.generic.consistency import consistency, grades
from analysis.stats.generic.separation import NOTHING_SEEN, ONE_GENERATOR, eta_squared, rate, separation
from analysis.stats.generic.stages import Stages, stages
from analysis.stats.generic.tables import rows_of
from tests.analysis.protocols.realism.making import rated
from tests.analysis.stats.generic.making import anatomy, as_presence, presence

CELLS = ("missing.limbs", "extra.limbs", "configuration.limbs")
P = " ".join(f"{cell}:1/4a" for cell in CELLS)
Q = " ".join(f"{cell}:3/4c" for cell in CELLS)


def two(first: list[tuple[int, str, str]], second: list[tuple[int, str, str]], **more: Any) -> dict[str, Any]:
    one, other = presence(first), anatomy(second)
    return stages(Stages(one, other, (one, as_presence(second)), **more))


def by_name(found: dict[str, Any], table: str) -> list[list[Any]]:
    return [list(row.values()) for row in rows_of(found, table)]


class TestWorkedMotive:
    """Image P has three cells 1/4a, image Q three cells 3/4c: alike in stage 1, far apart in stage 2."""

    MARKED = " ".join(CELLS)

    def test_cells_marked_are_3_and_3_and_scores_0_15_and_2_25(self) -> None:
        found = two([(2, "A", self.MARKED), (1, "A", self.MARKED)], [(2, "A", P), (1, "A", Q)])
        assert by_name(found, "stage_means") == [
            ["a", 1, 3.0, pytest.approx(0.15, abs=1e-12)],
            ["b", 1, 3.0, pytest.approx(2.25, abs=1e-12)],
        ]

    def test_only_counting_separates_the_generators(self) -> None:
        """Twenty such images: 2 to 4 cells marked by chance alone, severity by generator."""
        cells = [" ".join(CELLS[: 2 + place // 2 % 2]) for place in range(20)]
        severity = [":1/4a", ":3/4c"]
        second = [
            (place, "A", " ".join(f"{cell}{severity[place % 2]}" for cell in cells[place].split()))
            for place in range(20)
        ]
        found = two([(place, "A", cells[place]) for place in range(20)], second)
        (row,) = rows_of(found, "separation")
        assert row["images"] == 20
        assert row["first"]["value"] == pytest.approx(0, abs=1e-12)
        # Means 0.125 and 1.875 of 20; within either generator half the images lie 0.025 or 0.375 off.
        between = 20 * 0.875**2
        within = 10 * 0.025**2 + 10 * 0.375**2
        assert row["second"]["value"] == pytest.approx(between / (between + within), abs=1e-12)
        assert row["difference"]["low"] > 0
        assert found["findings"][0] == {"code": "separates", "table": "separation", "row": 0}


class TestZeros:
    """Six images; nobody marked 4, 5 and 6 in stage 1, and 4 went through stage 2 as a control."""

    FIRST = [(image, who, "extra.limbs" if image < 4 else "") for image in range(1, 7) for who in "AB"]
    SECOND = [(image, "A", "extra.limbs:1/2c") for image in range(1, 5)]
    COMBED = frozenset(range(1, 7))

    @pytest.mark.parametrize(
        ("left", "zero", "combed", "waiting", "counts", "separated"),
        [
            (0, False, COMBED, (), [4, 2, 0, 0, 0], 4),
            (0, True, COMBED, (), [4, 2, 0, 0, 0], 6),
            # Without a draw that leaves them out, they were not drawn.
            (0, True, (), (), [4, 0, 2, 0, 0], 4),
            # Marked ones that were not drawn are no zeros, nor is what waits for its answer.
            (1, True, COMBED, (), [3, 2, 1, 0, 0], 5),
            (0, True, COMBED, (5,), [4, 1, 0, 1, 0], 5),
        ],
    )
    def test_only_what_was_left_out_counts_as_0_and_only_if_asked_for(
        self, left: int, zero: bool, combed: Any, waiting: Any, counts: list[int], separated: int
    ) -> None:
        more = {"combed": frozenset(combed), "waiting": frozenset(waiting), "unmarked_as_zero": zero}
        found = two(self.FIRST, self.SECOND[left:], **more)
        assert [row["count"] for row in rows_of(found, "images")] == counts
        assert rows_of(found, "separation")[0]["images"] == separated
        assert found["settings"] == {"unmarked_as_zero": zero}
        if left:
            assert found["findings"][-1] == {"code": "outweighed", "table": "images", "row": 2}
            assert rows_of(found, "images")[2]["images"].startswith("not drawn")

    def test_zeros_are_in_the_means_and_the_control_says_how_many_were_missed(self) -> None:
        found = two(self.FIRST, self.SECOND, combed=self.COMBED, unmarked_as_zero=True)
        # Of generator b are images 1, 3, 5: 0.5, 0.5 and the 0 of the one that was left out.
        assert by_name(found, "stage_means") == [
            ["a", 3, 1 / 3, pytest.approx(1 / 3)],
            ["b", 3, 2 / 3, pytest.approx(1 / 3)],
        ]
        assert "outweighed" not in {each["code"] for each in found["findings"]}
        (row,) = rows_of(found, "control")
        assert (row["judged"], row["found"], row["left_out"]) == (1, 1, 2)
        assert (row["rate"]["value"], row["rate"]["low"]) == (1.0, pytest.approx(0.025))


def test_agreement_of_either_stage_leaves_targeted_images_out() -> None:
    everybody = [(image, who) for image in range(12) for who in "AB"]
    first = [(image, who, "extra.limbs" if (image + (who == "B")) % 3 else "") for image, who in everybody]
    second = [(image, who, "extra.limbs:1/2c" if image % 2 else "") for image, who in everybody]
    everything = rows_of(two(first, second), "reliability")
    assert [row["images"] for row in everything] == [12, 12]
    assert everything[1]["alpha"]["value"] == 1.0
    some = rows_of(two(first, second, targeted=frozenset({0, 1, 2})), "reliability")
    assert [row["images"] for row in some] == [9, 9]
    assert everything[0]["alpha"]["value"] != some[0]["alpha"]["value"]


# Images 1 and 2 are judged in both stages, 3 in the first and 4 in the second only.
FIRST = [
    (1, "A", "extra.limbs missing.face"),
    (1, "B", "extra.limbs"),
    (2, "A", "missing.face"),
    (3, "A", "extra.limbs"),
]
SECOND = [
    (1, "A", "extra.limbs:1/4a extra.limbs:2/4c"),
    (1, "C", "extra.limbs:1/4b missing.feet:1/2a"),
    (2, "A", "missing.face:1/1c missing.feet:1/2a"),
    (4, "B", "extra.hands:1/2c"),
]


@pytest.fixture
def tables() -> dict[str, Any]:
    return {"tables": consistency(presence(FIRST), as_presence(SECOND))}


def test_components_are_crossed_over_images_of_both_stages(tables: dict[str, Any]) -> None:
    rows = {row["component"]: row for row in rows_of(tables, "consistency")}
    counts = ("both", "first_only", "second_only", "neither", "kept")
    assert len(rows) == 26
    assert [rows["extra.limbs"][name] for name in counts] == [1, 0, 0, 1, 1.0]
    assert [rows["missing.face"][name] for name in counts] == [1, 1, 0, 0, 0.5]
    assert [rows["missing.feet"][name] for name in counts] == [0, 0, 2, 0, None]
    assert [rows["extra.hands"][name] for name in counts] == [0, 0, 0, 2, None]
    assert [rows["all"][name] for name in counts] == [2, 1, 2, 45, 2 / 3]


def test_a_person_is_beside_themselves_alone(tables: dict[str, Any]) -> None:
    (row,) = rows_of(tables, "consistency_people")
    counts = {"images": 2, "both": 2, "first_only": 1, "second_only": 1, "neither": 46}
    assert row == {"annotator": "A", **counts, "kept": 2 / 3}


def test_marks_get_the_grades_of_the_second_stage() -> None:
    made = grades(presence(FIRST), anatomy(SECOND))
    assert made is not None
    titles = [column["title"] for column in made["columns"]]
    assert titles == ["Component", "Marked in 1", "Not in 2", "a", "b", "c"]
    rows = {row[0]: row[1:] for row in made["rows"]}
    assert rows["extra.limbs"] == [1, 0.0, 1.0, 1.0, 1.0]
    assert rows["missing.face"] == [2, 0.5, 0.0, 0.0, 0.5]
    assert rows["missing.feet"] == [0, None, None, None, None]
    assert rows["All"] == [3, 1 / 3, 1 / 3, 1 / 3, 2 / 3]


CODES = np.repeat([0, 1, 2], 20)
RNG = np.random.default_rng(7)
ONE_STAGE = RNG.integers(0, 6, 60).astype(float)
OTHER_STAGE = ONE_STAGE * 0.3 + CODES + RNG.normal(size=60)


def separated(*given: Any) -> list[Any]:
    return list(separation(*given))


def test_it_is_the_share_of_the_variance_between_generators() -> None:
    first, second, gap = separated(ONE_STAGE, OTHER_STAGE, CODES, 4)
    assert gap["value"] == pytest.approx(second["value"] - first["value"], abs=1e-12)
    assert (gap["n_units"], gap["n_coders"], gap["method"]) == (60, 4, "expanded BCa bootstrap over images")
    # The F of a one-way analysis of variance is the same ratio, by degrees of freedom.
    for found, stage in ((first, ONE_STAGE), (second, OTHER_STAGE)):
        f = stats.f_oneway(*(stage[each == CODES] for each in range(3))).statistic
        assert found["value"] / (1 - found["value"]) * 57 / 2 == pytest.approx(f, rel=1e-9)
        # Resampled values are not centred.
        sums = np.append(np.bincount(CODES, stage + 5), ((stage + 5) ** 2).sum())
        assert eta_squared(np.bincount(CODES).astype(float), sums) == pytest.approx(found["value"])


def test_the_difference_is_resampled_on_the_same_images() -> None:
    """Two stages that say the same have a difference of 0 in every resample, though each η² varies."""
    first, _, gap = separated(ONE_STAGE, 3 * ONE_STAGE + 100, CODES, 4)
    assert first["low"] is not None
    assert (gap["value"], gap["low"]) == (pytest.approx(0, abs=1e-12), None)
    assert gap["refused"] == "every resample of the images gives the same number"


@pytest.mark.parametrize(
    ("first", "codes", "reason"),
    [
        (ONE_STAGE, np.zeros(60, dtype=np.int64), ONE_GENERATOR),
        (np.ones(60), CODES, "all values are equal"),
        (ONE_STAGE[:4], np.array([0, 0, 1, 1]), "too few: 4 of 5 images"),
    ],
)
def test_what_cannot_be_told_is_refused_with_the_reason(
    first: np.ndarray, codes: np.ndarray, reason: str
) -> None:
    found = separated(first, OTHER_STAGE[: len(first)], codes, 2)
    assert (found[0]["value"], found[0]["refused"], found[2]["value"]) == (None, reason, None)


def test_without_a_control_there_is_no_rate() -> None:
    assert rate(0, 0)["value"] is None
    assert rate(0, 0)["refused"] == NOTHING_SEEN


FIVE_CELLS = ("extra.limbs", "missing.limbs", "extra.hands", "missing.hands", "extra.feet")
# Image i has i % 5 marks in one protocol; in the other the same cells, but image 3 all and image 4 none.
MARKED = {image: FIVE_CELLS[: image % 5] for image in range(1, 31)}
SEEN = {**MARKED, 3: (), 4: FIVE_CELLS, 5: FIVE_CELLS, 9: ()}


def related() -> dict[str, Any]:
    one = anatomy((image, "A", " ".join(f"{cell}:1/4c" for cell in cells)) for image, cells in MARKED.items())
    two = presence((image, "B", " ".join(cells)) for image, cells in SEEN.items())
    return across(one, [two])


def test_images_far_apart_are_listed_furthest_first() -> None:
    rows = rows_of(related(), "contradictions")
    assert {row["number"] for row in rows} == {3, 5, 9}
    apart = [row["apart"] for row in rows]
    assert apart == sorted(apart, reverse=True)
    assert min(apart) >= 0.4
    (row,) = (row for row in rows if row["number"] == 5)
    assert (row["first"], row["second"]) == (0, 5)
    assert rows_of(related(), "across")[0]["apart"] == 3


def test_much_realism_contradicts_a_high_score_and_little_realism_a_low_one() -> None:
    one = anatomy((image, "A", "" if image % 2 else "extra.limbs:1/4c") for image in range(1, 21))
    two = rated({"B": " ".join("1" if image == 7 or image % 2 == 0 else "10" for image in range(1, 21))})
    result = across(one, [two])
    assert rows_of(result, "across")[0]["rho"]["high"] < 0
    assert [row["number"] for row in rows_of(result, "contradictions")] == [7]


def test_only_shared_images_count_and_several_annotations_are_averaged() -> None:
    one = anatomy([(image, "A", "extra.limbs:1/4c") for image in range(8)] + [(7, "B", "extra.limbs:3/4c")])
    two = presence((image, "C", "extra.limbs" if image > 4 else "") for image in range(4, 14))
    result = across(one, [two])
    (row,) = rows_of(result, "across")
    assert (row["images"], row["rho"]["refused"]) == (4, "too few: 4 of 7 images")
    assert rows_of(result, "contradictions") == []
    assert [(row["images"], row["first"]) for row in rows_of(result, "fifths")] == [(3, 0.25), (1, 0.5)]
