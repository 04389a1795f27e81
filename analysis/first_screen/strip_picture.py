"""A strip of images from best to worst as SVG or PNG, with place and score under each."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

TILE: Final = 150
GAP: Final = 10
ROW: Final = 8
WORDS: Final = 44
HEAD: Final = 58
LONGEST_TITLE: Final = 110
INK, PAPER, GREY, LINE = "#1b1b19", "#ffffff", "#5b5a55", "#1d5c8c"
FONTS: Final = Path(__file__).parents[1] / "figures" / "fonts"
QUALITY: Final = 85


@dataclass(frozen=True)
class Tile:
    """An image of a strip, None if it cannot be shown; `tied` shares its place with the one before it."""

    picture: Picture.Image | None
    score: str
    name: str
    tied: bool


def shrunk(contents: BytesIO) -> Picture.Image:
    """Return a picture that fits a tile; raise OSError if it cannot be read."""
    with Picture.open(contents) as opened:
        opened.thumbnail((TILE, TILE))
        return opened.convert("RGB")


def strip_svg(title: str, words: str, tiles: Sequence[Tile]) -> bytes:
    """Return the strip as SVG with its pictures inside."""
    width, height = _size(len(tiles))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Inter, sans-serif" role="img">',
        f"<title>{_text(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        f'<text x="{GAP}" y="26" font-size="16" font-weight="700" fill="{INK}">{_text(_short(title))}</text>',
        f'<text x="{GAP}" y="46" font-size="12" fill="{GREY}">{_text(words)}</text>',
    ]
    for place, tile in enumerate(tiles):
        x, y = _corner(place)
        if tile.picture is not None:
            left, top = x + (TILE - tile.picture.width) // 2, y + TILE - tile.picture.height
            data = BytesIO()
            tile.picture.save(data, "JPEG", quality=QUALITY)
            code = base64.b64encode(data.getvalue()).decode()
            parts.append(
                f'<image x="{left}" y="{top}" width="{tile.picture.width}" height="{tile.picture.height}" '
                f'href="data:image/jpeg;base64,{code}"/>'
            )
        if tile.tied and place % ROW:
            at = y + TILE + 4
            parts.append(
                f'<line x1="{x - GAP - TILE}" x2="{x + TILE}" y1="{at}" y2="{at}" stroke="{LINE}" '
                'stroke-width="2"/>'
            )
        middle = x + TILE // 2
        parts.append(
            f'<text x="{middle}" y="{y + TILE + 21}" font-size="14" font-weight="700" fill="{INK}" '
            f'text-anchor="middle">{_text(tile.score)}</text>'
            f'<text x="{middle}" y="{y + TILE + 37}" font-size="11" fill="{GREY}" '
            f'text-anchor="middle">{_text(_short(tile.name, 24))}</text>'
        )
    return "\n".join([*parts, "</svg>\n"]).encode()


def strip_png(title: str, words: str, tiles: Sequence[Tile]) -> bytes:
    """Return the strip as PNG."""
    canvas = Picture.new("RGB", _size(len(tiles)), PAPER)
    draw = ImageDraw.Draw(canvas)
    bold, plain = FONTS / "Inter-Bold.ttf", FONTS / "Inter-Regular.ttf"
    head, small, value, name = (
        ImageFont.truetype(str(font), size)
        for font, size in ((bold, 16), (plain, 12), (bold, 14), (plain, 11))
    )
    draw.text((GAP, 26), _short(title), INK, head, anchor="ls")
    draw.text((GAP, 46), words, GREY, small, anchor="ls")
    for place, tile in enumerate(tiles):
        x, y = _corner(place)
        if tile.picture is not None:
            canvas.paste(tile.picture, (x + (TILE - tile.picture.width) // 2, y + TILE - tile.picture.height))
        if tile.tied and place % ROW:
            draw.line((x - GAP - TILE, y + TILE + 4, x + TILE, y + TILE + 4), LINE, 2)
        draw.text((x + TILE // 2, y + TILE + 21), tile.score, INK, value, anchor="ms")
        draw.text((x + TILE // 2, y + TILE + 37), _short(tile.name, 24), GREY, name, anchor="ms")
    data = BytesIO()
    canvas.save(data, "PNG")
    return data.getvalue()


def _size(tiles: int) -> tuple[int, int]:
    columns, rows = min(max(tiles, 4), ROW), -(-tiles // ROW)
    return GAP + columns * (TILE + GAP), HEAD + rows * (TILE + WORDS) + GAP


def _corner(place: int) -> tuple[int, int]:
    return GAP + place % ROW * (TILE + GAP), HEAD + place // ROW * (TILE + WORDS)


def _short(text: str, longest: int = LONGEST_TITLE) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _text(text: str) -> str:
    """Return text for XML, without the characters that it cannot hold."""
    return escape("".join(one if one.isprintable() else "\ufffd" for one in text))
