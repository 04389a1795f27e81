"""Many figures drawn by one process of their own, whatever names they hold."""

from __future__ import annotations

import pytest

from analysis.bundles.drawing import Drawer
from analysis.figures.figure import Figure

VIEW = {
    "data": {"name": "rows"},
    "mark": "bar",
    "encoding": {"x": {"field": "name", "type": "nominal"}, "y": {"field": "value", "type": "quantitative"}},
}


@pytest.mark.usefixtures("drawn_anew")
def test_every_name_can_be_drawn() -> None:
    with Drawer() as drawer:
        for name in ("plain", "a\x01b", "\ufffe"):
            figure = Figure("bars", name, drawn={"rows": [{"name": name, "value": 1}]}, view=VIEW)
            assert drawer.draw(figure, "svg").startswith(b"<svg")
            assert drawer.draw(figure, "png").startswith(b"\x89PNG")
