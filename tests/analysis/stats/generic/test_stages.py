"""Two stages on the same images: the worked motive, what counts as 0, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.generic.stages import Stages, stages
from tests.analysis.stats.generic.making import anatomy, as_presence, presence, rows_of, stars

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

    def counts(self, found: dict[str, Any]) -> list[int]:
        return [row["count"] for row in rows_of(found, "images")]

    def test_what_was_left_out_enters_nothing_unless_asked_for(self) -> None:
        found = two(self.FIRST, self.SECOND, combed=self.COMBED)
        assert self.counts(found) == [4, 2, 0, 0, 0]
        assert rows_of(found, "separation")[0]["images"] == 4
        assert found["settings"] == {"unmarked_as_zero": False}

    def test_asked_for_it_counts_as_0(self) -> None:
        found = two(self.FIRST, self.SECOND, combed=self.COMBED, unmarked_as_zero=True)
        assert rows_of(found, "separation")[0]["images"] == 6
        # Of generator b are images 1, 3, 5: 0.5, 0.5 and the 0 of the one that was left out.
        assert by_name(found, "stage_means") == [
            ["a", 3, 1 / 3, pytest.approx(1 / 3)],
            ["b", 3, 2 / 3, pytest.approx(1 / 3)],
        ]
        assert found["settings"] == {"unmarked_as_zero": True}
        assert "outweighed" not in {each["code"] for each in found["findings"]}

    def test_the_control_says_how_many_were_missed(self) -> None:
        (row,) = rows_of(two(self.FIRST, self.SECOND, combed=self.COMBED), "control")
        assert (row["judged"], row["found"], row["left_out"]) == (1, 1, 2)
        assert (row["rate"]["value"], row["rate"]["low"]) == (1.0, pytest.approx(0.025))

    def test_without_a_draw_that_leaves_them_out_they_were_not_drawn(self) -> None:
        found = two(self.FIRST, self.SECOND, unmarked_as_zero=True)
        assert self.counts(found) == [4, 0, 2, 0, 0]
        assert rows_of(found, "separation")[0]["images"] == 4

    def test_marked_ones_that_were_not_drawn_are_no_zeros(self) -> None:
        found = two(self.FIRST, self.SECOND[1:], combed=self.COMBED, unmarked_as_zero=True)
        assert self.counts(found) == [3, 2, 1, 0, 0]
        assert found["findings"][-1] == {"code": "outweighed", "table": "images", "row": 2}
        assert rows_of(found, "images")[2]["images"].startswith("not drawn")

    def test_what_waits_for_its_answer_is_no_zero(self) -> None:
        found = two(
            self.FIRST, self.SECOND, combed=self.COMBED, waiting=frozenset({5}), unmarked_as_zero=True
        )
        assert self.counts(found) == [4, 1, 0, 1, 0]

    def test_one_that_only_stage_2_judged_is_named(self) -> None:
        found = two(self.FIRST, [*self.SECOND, (9, "A", "")], combed=self.COMBED)
        assert self.counts(found) == [4, 2, 0, 0, 1]


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


def test_protocols_without_components_in_common_have_no_consistency() -> None:
    one, other = (
        presence([(image, "A", "extra.limbs") for image in range(8)]),
        stars([(image, "B", 1 + image % 5) for image in range(8)]),
    )
    found = stages(Stages(one, other, None))
    assert {"consistency", "grades"}.isdisjoint(table["name"] for table in found["tables"])
    assert [each["code"] for each in found["findings"]] == ["separates", "missed"]


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    one = presence([(1, "A", "")])
    stages(Stages(one, one, None), lambda done, total: told.append((done, total)))
    assert told[-1] == (5, 5)
