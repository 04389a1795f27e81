"""The mixed model and generators by prompt as tables."""

from __future__ import annotations

from analysis.stats.comparison.crossed import generators_by_prompt
from analysis.stats.comparison.mixed import mixed_model
from analysis.stats.images import image_table
from analysis.tables.comparison.mixed import mixed_tables, prompt_table
from tests.analysis.stats.conftest import framed, rated

TEXTS = ("1/4c", "2/4c", "3/4c", "1/4a", "4/4b", "1/4b")
ROWS = [
    rated(i, "a", {"missing.hands": TEXTS[i % 6]}, generator="gh"[i % 2], prompt="pq"[i // 8])
    for i in range(15)
]


def test_components_that_are_missing_are_named() -> None:
    differences, means, components = mixed_tables({"mixed_model": mixed_model(framed(*ROWS))})
    assert len(differences.rows) == 1
    assert "Annotator has no component: there is only one annotator." in differences.words
    assert [row[0].text for row in means.rows] == ["g", "h"]
    assert [row[0].text for row in components.rows] == ["Prompt", "Generator and prompt", "Residual"]
    assert sum(int(row[2].text.removesuffix("%")) for row in components.rows) in {99, 100, 101}


def test_a_prompt_without_images_of_a_generator_says_so() -> None:
    rows = [row for i, row in enumerate(ROWS) if not (i >= 8 and i % 2)]
    table = prompt_table({"generators_by_prompt": generators_by_prompt(image_table(framed(*rows)))})
    assert [heading.text for heading in table.headings] == ["Prompt", "Images", "g", "h"]
    assert [(row[0].text, row[1].text, row[3].note) for row in table.rows] == [
        ("p", "8", ""),
        ("q", "4", "no images"),
    ]
