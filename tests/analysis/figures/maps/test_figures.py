"""The figures of cells: where the errors lie, and generators crossed with prompts."""

from __future__ import annotations

import pytest
from analysis.figures.maps.crossed import by_prompt_and_generator

from analysis.figures.catalogue import figure
from analysis.figures.maps import body, crossed
from analysis.figures.maps.body import body_map
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatingsFrame
from tests.analysis.figures.conftest import results
from tests.analysis.stats.conftest import framed, rated


def test_the_map_of_alphas_is_laid_out_as_the_labelling_page() -> None:
    found = figure("agreement", results()["agreement"], "cell-alphas")
    assert found is not None
    order = [(row["body_part"], row["error_type"]) for row in found.rows]
    assert order[:3] == [("Torso", "Missing"), ("Torso", "Extra"), ("Torso", "Configuration")]
    assert order[-1] == ("Face", "Proportion")
    (tiles, *_) = found.view["layer"]
    assert tiles["encoding"]["y"]["sort"] == ["Torso", "Limbs", "Feet", "Hands", "Face"]
    assert tiles["encoding"]["x"]["field"] == "error_type"


def test_the_body_map_has_six_bodies_for_each_generator() -> None:
    found = body_map(results()["comparison"])
    assert len(found.rows) == 2 * 6 * 5
    assert [row["body_part"] for row in found.rows[:5]] == ["Torso", "Limbs", "Feet", "Hands", "Face"]
    shares = [row["share"] for row in found.rows[:5]]
    assert sum(shares) == pytest.approx(1)
    assert {row["label"] for row in found.drawn["parts"] if row["marked"] < 5} == {"–"}
    parts = [layer["transform"][0]["filter"]["equal"] for layer in found.view["spec"]["layer"][:-1]]
    assert parts[-2:] == ["torso", "face"]


def test_more_generators_than_fit_are_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "GENERATORS", 1)
    found = body_map(results()["comparison"])
    assert len({row["generator"] for row in found.drawn["parts"]}) == 1
    assert len({row["generator"] for row in found.rows}) == 2
    assert found.note.endswith("The 1 of 2 generators with the most annotations; the table has all.")


def test_body_maps_that_cannot_be_drawn() -> None:
    assert body_map(comparison(framed(rated(1, "ada", {})))).refused == "no errors were marked"


@pytest.mark.study
def test_the_published_means_of_prompts(study_frame: RatingsFrame) -> None:
    """Means over images; the interaction is that of R, see tests of `generators_by_prompt`."""
    found = by_prompt_and_generator(comparison(study_frame))
    assert len(found.rows) == 30
    assert found.view["layer"][0]["encoding"]["y"]["sort"][0] == "five people sunbathing on beach"
    assert "F(18, 210) = 2.98, p < 0.001" in found.note
    salto = next(
        row
        for row in found.rows
        if (row["prompt"], row["generator"]) == ("athlete performing salto", "dall-e3")
    )
    assert (salto["text"], salto["beneath"], salto["images"]) == ("0.49", "0.24 to 0.74", 8)


def test_tiles_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossed, "TILES", 4)
    found = by_prompt_and_generator(results()["comparison"])
    assert len({row["prompt"] for row in found.drawn["tiles"]}) == 2
    assert len({row["prompt"] for row in found.rows}) == 3
    assert found.note.endswith("The 2 of 3 prompts with the highest means; the table has more.")


def test_one_image_of_a_combination_has_no_interval() -> None:
    found = by_prompt_and_generator(comparison(framed(rated(1, "ada", {"missing.face": "1/2c"}))))
    assert [(row["text"], row["beneath"], row["refused"]) for row in found.rows] == [
        ("0.50", "", "fewer than 2 images")
    ]
