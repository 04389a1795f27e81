"""Answers of small protocols, as their ratings come out of the database."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.stats.building import RatedAnnotation
from analysis.stats.generic.values import ValuesFrame, build_values
from scoring.anatomy.protocol import ANATOMY
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.presence.protocol import PRESENCE, clean
from tests.factories import make_payload
from tests.protocols.stars.rules import STARS


def presence(answers: Iterable[tuple[int, str, str]], generators: str = "ab") -> ValuesFrame:
    """(image, annotator, marked cells) each; images of the generators in turn."""
    rows = []
    for image, annotator, cells in answers:
        keys = cells.split()
        rated = PRESENCE.ratings(clean({"cells": keys, "no_errors": not keys}), {})
        rows.append(row_of(image, annotator, [list(map(str, rating)) for rating in rated], generators))
    return build_values(rows, PRESENCE)


def stars(answers: Iterable[tuple[int, str, int]], generators: str = "ab") -> ValuesFrame:
    """(image, annotator, stars) each; images of the generators in turn."""
    rows = [row_of(image, annotator, [["stars", "", str(n)]], generators) for image, annotator, n in answers]
    return build_values(rows, STARS)


def row_of(image: int, annotator: str, ratings: list[list[str]], generators: str) -> RatedAnnotation:
    generator = generators[image % len(generators)]
    return RatedAnnotation(
        image, annotator, generator, "one person", "individual", "pilot", ratings, image, image
    )


def anatomy(answers: Iterable[tuple[int, str, str]], generators: str = "ab") -> ValuesFrame:
    """(image, annotator, marks such as `missing.limbs:1/4c`) each; images of the generators in turn."""
    rows = []
    for image, annotator, marks in answers:
        answer = ANATOMY.clean(make_payload([tuple(mark.split(":")) for mark in marks.split()]))  # type: ignore[misc]
        rated = ANATOMY.ratings(answer, DEFAULT_WEIGHTS)
        rows.append(row_of(image, annotator, [list(map(str, rating)) for rating in rated], generators))
    return build_values(rows, ANATOMY)


def as_presence(answers: Iterable[tuple[int, str, str]], generators: str = "ab") -> ValuesFrame:
    """The same answers as `anatomy` takes, shown as presence."""
    cells = [
        (image, who, " ".join({mark.split(":")[0] for mark in marks.split()}))
        for image, who, marks in answers
    ]
    return presence(cells, generators)
