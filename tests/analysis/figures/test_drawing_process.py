"""Many figures drawn by one process of their own, whatever names they hold."""

from __future__ import annotations

import pytest

from analysis.figures.drawing_process import Drawer
from analysis.figures.figure import Figure
from analysis.figures.generic import figures
from tests.analysis.figures.conftest import results

VIEW = {
    "data": {"name": "rows"},
    "mark": "bar",
    "encoding": {"x": {"field": "name", "type": "nominal"}, "y": {"field": "value", "type": "quantitative"}},
}


def test_every_name_can_be_drawn() -> None:
    with Drawer() as drawer:
        for name in ("plain", "a\x01b", "\ufffe"):
            figure = Figure("bars", name, drawn={"rows": [{"name": name, "value": 1}]}, view=VIEW)
            assert drawer.draw(figure, "svg").startswith(b"<svg")
            assert drawer.draw(figure, "png").startswith(b"\x89PNG")


@pytest.mark.thorough
def test_the_same_figures_give_the_same_bytes() -> None:
    drawable = [each for kind, result in results().items() for each in figures(result) if each.drawn]

    def drawn() -> list[bytes]:
        with Drawer() as drawer:
            return [drawer.draw(figure, form) for figure in drawable[::2] for form in ("svg", "png")]

    first = drawn()
    assert drawn() == first
    assert len(set(first)) == len(first) >= 10
