"""What the page of the body map shows: bodies, their parts with links, switches, legend and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from analysis.figures.maps.shapes import ASIDE, HEIGHT, OUTLINES, WIDE, dots, label
from analysis.tables.comparison.body_map import SHARES, Amount, BodyMap, Kind, shade, thresholds
from analysis.tables.comparison.body_words import certainty, heading, legend
from analysis.tables.wording import rounded
from scoring.grid.taxonomy import BODY_PART_TITLES, BODY_PARTS, ERROR_TYPE_TITLES, SEVERITIES, SEVERITY_TITLES
from scoring.rounding import percent

KINDS: Final[Mapping[Kind, str]] = {"abc": "a b c", "c": "c only", "pins": "Pins"}
MEASURES: Final = {"mean": "Per annotation", "share": "Share of score"}
OF_PINS: Final = {"mean": "Number", "share": "Share of pins"}
OF_CELLS: Final = {"mean": "Per image", "share": "Share of cells"}
LARGE: Final = 6
"""With more generators, all are small and a chosen one is large."""
MOST_DOTS: Final = 40
"""Dots in one body part; with more pins, each dot stands for several."""


Shown = dict[str, Any]
"""A part, body or generator as the page shows it."""


class BodyMapPage:
    """What the page shows of `maps`; `every` are those of all severities, which set the scale.

    `cells`: amounts are numbers of cells per image, not weighted errors.
    """

    def __init__(
        self,
        every: Sequence[BodyMap],
        maps: Sequence[BodyMap],
        kind: Kind,
        measure: str,
        gallery: str,
        keep: Mapping[str, str],
        *,
        cells: bool = False,
    ) -> None:
        self.maps, self.kind, self.shares = maps, kind, measure == "share"
        self.steps = SHARES if self.shares else thresholds(every)
        self.gallery, self.keep = gallery, keep
        self.cells = cells
        self._counted = "pins" if kind == "pins" else "images" if cells else "annotations"
        largest = max((sum(part.pins) for generator in every for part in generator.parts.values()), default=0)
        self.pins_per_dot = max(1, -(-largest // MOST_DOTS))

    def context(self, chosen: str) -> dict[str, Any]:
        """Return the context of the page; `chosen` is the generator to enlarge, if there are many."""
        shown = [self._generator(generator) for generator in self.maps]
        measures = OF_PINS if self.kind == "pins" else OF_CELLS if self.cells else MEASURES
        large = [each for each in shown if len(shown) <= LARGE or each["name"] == chosen]
        return {
            "heading": heading(self.maps, self.kind),
            "certainty": certainty(self.maps),
            "kind": self.kind,
            "shares": self.shares,
            "kinds": [(KINDS[kind], self._query(show=kind), kind == self.kind, kind) for kind in KINDS],
            "measures": [
                (words, self._query(**{"as": measure}), (measure == "share") == self.shares)
                for measure, words in measures.items()
            ],
            "legend": [
                (f"s{place}", words) for place, words in enumerate(legend(self.steps, shares=self.shares))
            ],
            "pins_per_dot": self.pins_per_dot,
            "large": large,
            "small": [] if len(shown) <= LARGE else shown,
            "shown": shown,
            "box": (WIDE, HEIGHT, ASIDE),
            "severities": SEVERITY_TITLES.items(),
            "types": ERROR_TYPE_TITLES.values(),
            "annotations": sum(generator.annotations for generator in self.maps),
            "each": self.maps[0].annotations
            if len({generator.annotations for generator in self.maps}) == 1
            else None,
        }

    def _query(self, **change: str) -> str:
        asked = {"show": self.kind, "as": "share" if self.shares else "mean", **change}
        return f"?{urlencode({**self.keep, **asked})}"

    def _generator(self, each: BodyMap) -> Shown:
        """Return a generator's body, those of the error types, and the numbers: a row for each body part."""
        return {
            "name": each.generator,
            "annotations": each.annotations,
            "body": self._body(each, "", each.parts),
            "types": [
                self._body(each, kind, {part: each.cells[f"{kind}.{part}"] for part in BODY_PARTS})
                for kind in ERROR_TYPE_TITLES
            ],
            "rows": self._rows(each),
            "enlarge": f"{self._query(generator=each.generator)}#large",
        }

    def _body(self, each: BodyMap, kind: str, amounts: Mapping[str, Amount]) -> Shown:
        """Return a body shaded by amounts: of one error type, or of all if it is empty.

        Its `painted` parts are in the order in which they cover each other, its `parts` as published; `shade`
        is a class, `href` opens the images and is empty for no link.
        """
        total = each.types[kind] if kind else each.total
        about = {"type": kind} if kind else {}
        parts = {
            part: {
                "slug": part,
                "title": BODY_PART_TITLES[part],
                "outline": OUTLINES[part],
                "shade": self._shade(amount),
                "text": self._text(amount),
                "note": "" if amount.enough else f"{amount.marked} {self._counted}",
                "href": self._href(each, {"cell": f"{kind}.{part}"} if kind else {"part": part}),
                "label": label(part),
                "dots": self._dots(part, amount) if self.kind == "pins" else (),
            }
            for part, amount in amounts.items()
        }
        return {
            "title": ERROR_TYPE_TITLES[kind] if kind else each.generator,
            "text": self._one(total),
            "href": self._href(each, about),
            "painted": [parts[part] for part in OUTLINES],
            "parts": [parts[part] for part in BODY_PARTS],
        }

    def _rows(self, each: BodyMap) -> list[tuple[str, Sequence[str]]]:
        """Return the numbers by body part: of each error type, then of all; last those of all body parts."""
        rows = [
            (
                BODY_PART_TITLES[part],
                [
                    *(self._cell(each.cells[f"{kind}.{part}"]) for kind in each.types),
                    self._cell(each.parts[part]),
                ],
            )
            for part in BODY_PARTS
        ]
        return [*rows, ("Total", [*map(self._one, each.types.values()), self._one(each.total)])]

    def _cell(self, amount: Amount) -> str:
        return self._one(amount) if amount.enough else "–"

    def _shade(self, amount: Amount) -> str:
        if self.kind == "pins" or not amount.enough:
            return "few"
        return f"s{shade(amount.share if self.shares else amount.value, self.steps)}"

    def _one(self, amount: Amount) -> str:
        if self.shares:
            return _percent(amount.share)
        return f"{amount.value:,.0f}" if self.kind == "pins" else rounded(amount.value, 2)

    def _text(self, amount: Amount) -> str:
        if not amount.enough:
            return "–"
        value = f"{amount.value:,.0f}" if self.kind == "pins" else rounded(amount.value, 2)
        both = [value, _percent(amount.share)]
        return " · ".join(reversed(both) if self.shares else both)

    def _href(self, each: BodyMap, about: Mapping[str, str]) -> str:
        severity = {"severity": "c"} if self.kind == "c" else {}
        query = urlencode({"generator": each.generator, **about, **severity})
        return f"{self.gallery}&{query}" if self.gallery else ""

    def _dots(self, part: str, amount: Amount) -> list[tuple[float, float, str]]:
        """Return places with a severity, most severe last, so that they are on top."""
        counts = [-(-count // self.pins_per_dot) for count in amount.pins]
        severities = [
            severity for severity, count in zip(SEVERITIES, counts, strict=True) for _ in range(count)
        ]
        places = dots(part, len(severities))
        return [(x, y, severity) for (x, y), severity in zip(places, severities, strict=True)]


def _percent(share: float) -> str:
    return f"{percent(share)}%"
