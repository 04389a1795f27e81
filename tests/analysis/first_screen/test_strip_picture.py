"""The strip as a file: well-formed, its pictures inside, strange text escaped."""

from __future__ import annotations

from io import BytesIO
from xml.etree import ElementTree

import pytest
from PIL import Image as Picture

from analysis.first_screen.strip_picture import ROW, TILE, Tile, shrunk, strip_png, strip_svg

SVG = "{http://www.w3.org/2000/svg}"


def picture(width: int = 300, height: int = 200, colour: str = "red") -> Picture.Image:
    data = BytesIO()
    Picture.new("RGB", (width, height), colour).save(data, "WEBP", lossless=True)
    return shrunk(BytesIO(data.getvalue()))


def test_a_picture_fits_its_tile() -> None:
    assert picture(300, 200).size == (TILE, 100)
    assert picture(100, 400).size == (37, TILE)


def test_the_svg_holds_pictures_scores_and_a_line_under_ties() -> None:
    tiles = [
        Tile(picture(), "9.00", "gA", tied=False),
        Tile(picture(), "9.00", "gB", tied=True),
        Tile(None, "2.00", "gC", tied=False),
    ]
    drawn = ElementTree.fromstring(strip_svg("a <man> & \x00 dog", "Best to worst.", tiles))
    assert len(drawn.findall(f"{SVG}image")) == 2
    assert all(
        one.get("href", "").startswith("data:image/jpeg;base64,") for one in drawn.findall(f"{SVG}image")
    )
    assert len(drawn.findall(f"{SVG}line")) == 1
    texts = [one.text for one in drawn.findall(f"{SVG}text")]
    assert texts[2:] == ["9.00", "gA", "9.00", "gB", "2.00", "gC"]
    assert texts[0] == "a <man> & \ufffd dog"


@pytest.mark.parametrize(("tiles", "rows"), [(1, 1), (ROW, 1), (ROW + 1, 2), (60, 8)])
def test_the_png_has_room_for_every_image(tiles: int, rows: int) -> None:
    made = [Tile(picture(), f"{place}.00", "gA", tied=False) for place in range(tiles)]
    drawn = Picture.open(BytesIO(strip_png("p", "w", made)))
    svg = ElementTree.fromstring(strip_svg("p", "w", made))
    assert drawn.size == (int(svg.get("width", "0")), int(svg.get("height", "0")))
    # The last picture is where the last row is.
    last = drawn.getpixel((10 + (tiles - 1) % ROW * (TILE + 10) + 75, 58 + (rows - 1) * 194 + 120))
    assert isinstance(last, tuple)
    assert last[0] > 250 > 10 > last[2]
