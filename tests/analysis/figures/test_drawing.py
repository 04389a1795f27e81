"""Figures as files: whatever names they hold, the renderer gets nothing that ends it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from analysis.figures.drawing import NothingToDraw, svg
from analysis.figures.drawing_process import Drawer, draw_in_child
from analysis.figures.figure import Figure, nothing

VIEW = {
    "data": {"name": "rows"},
    "mark": "bar",
    "encoding": {"x": {"field": "name", "type": "nominal"}, "y": {"field": "value", "type": "quantitative"}},
}
# What XML cannot hold, and beside it what it can.
ODD = ("a\x00b", "c\x01\x08d", "e\x0b\x1ff", "g\ufffe\uffffh", "i\tj\u2028k", "\U0001f642 ü")
SHOWN = ("a\ufffdb", "c\ufffd\ufffdd", "e\ufffd\ufffdf", "g\ufffd\ufffdh", "\U0001f642 ü")


@pytest.mark.parametrize("form", ["svg", "png"])
def test_every_name_can_be_drawn_for_a_page(form: str) -> None:
    rows = [{"name": name, "value": 1} for name in ODD]
    figure = Figure("bars", "T\x01", note="N\x02", description="D\x03", drawn={"rows": rows}, view=VIEW)
    drawn = draw_in_child(figure, form)
    if form == "png":
        assert drawn.startswith(b"\x89PNG")
        return
    texts = {"".join(element.itertext()) for element in ElementTree.fromstring(drawn).iter()}
    assert {*SHOWN, "T\ufffd", "N\ufffd"} <= texts


def test_a_figure_without_numbers_is_refused() -> None:
    with pytest.raises(NothingToDraw, match="no answers"):
        svg(nothing("bars", "Bars", "no answers"))


def test_every_name_can_be_drawn() -> None:
    with Drawer() as drawer:
        for name in ("plain", "a\x01b", "\ufffe"):
            figure = Figure("bars", name, drawn={"rows": [{"name": name, "value": 1}]}, view=VIEW)
            assert drawer.draw(figure, "svg").startswith(b"<svg")
            assert drawer.draw(figure, "png").startswith(b"\x89PNG")
