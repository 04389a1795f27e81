"""Colours and the drawing style of each invented generator."""

from __future__ import annotations

from dataclasses import dataclass

Colour = tuple[int, int, int]


def mixed(first: Colour, second: Colour, share: float) -> Colour:
    """Return the colour at this share of the way from first to second."""
    r, g, b = (round(a + (z - a) * share) for a, z in zip(first, second, strict=True))
    return r, g, b


def darker(colour: Colour, depth: float) -> Colour:
    """Return the colour moved towards a deep plum, which looks warmer than black."""
    return mixed(colour, (44, 26, 48), depth)


@dataclass(frozen=True)
class Style:
    """How one generator draws: outline in pixels at a head of 80, depths as shares, and its colours."""

    line_width: float
    line_depth: float
    shade: float
    tops: tuple[Colour, ...]
    bottoms: tuple[Colour, ...]
    shoes: tuple[Colour, ...]
    air: Colour
    air_share: float

    def aired(self, colour: Colour) -> Colour:
        """Return a backdrop colour as this style sees it."""
        return mixed(colour, self.air, self.air_share)


SKINS: tuple[Colour, ...] = (
    (250, 214, 190),
    (238, 190, 156),
    (214, 158, 118),
    (172, 115, 78),
    (128, 82, 57),
    (98, 62, 46),
)
HAIRS: tuple[Colour, ...] = (
    (48, 36, 38),
    (88, 56, 40),
    (140, 86, 48),
    (206, 158, 92),
    (176, 82, 48),
    (172, 168, 166),
)

SOFT = Style(
    line_width=0.9,
    line_depth=0.32,
    shade=0.2,
    tops=((231, 125, 99), (94, 148, 158), (239, 190, 98), (143, 158, 112), (189, 122, 142), (244, 234, 219)),
    bottoms=((74, 88, 122), (98, 84, 84), (196, 172, 138), (70, 104, 100)),
    shoes=((92, 62, 50), (52, 52, 66), (222, 214, 204)),
    air=(255, 240, 220),
    air_share=0.18,
)
COOL = Style(
    line_width=1.2,
    line_depth=0.5,
    shade=0.14,
    tops=(
        (108, 134, 186),
        (142, 192, 180),
        (212, 148, 168),
        (232, 212, 142),
        (126, 116, 168),
        (222, 230, 238),
    ),
    bottoms=((58, 66, 92), (112, 122, 140), (150, 136, 152), (86, 98, 96)),
    shoes=((60, 64, 84), (236, 238, 242), (122, 96, 96)),
    air=(206, 218, 244),
    air_share=0.34,
)
POSTER = Style(
    line_width=1.7,
    line_depth=0.72,
    shade=0.1,
    tops=((226, 84, 72), (38, 132, 142), (246, 178, 60), (86, 96, 178), (74, 150, 98), (250, 236, 208)),
    bottoms=((44, 58, 104), (132, 66, 66), (64, 64, 70), (216, 184, 120)),
    shoes=((34, 34, 44), (206, 70, 60), (246, 242, 232)),
    air=(255, 226, 150),
    air_share=0.2,
)
