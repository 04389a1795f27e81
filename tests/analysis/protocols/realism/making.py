"""Ratings as they come out of the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analysis.stats.building import RatedAnnotation
from analysis.stats.generic.values import ValuesFrame, build_values
from scoring.realism.protocol import REALISM, clean

WORKED = {"a": "2 9 5 8 x 1", "b": "1 8 4 7 x 2", "c": "3 10 6 9 x x", "d": "2 9 5 6 4 1", "e": "4 9 7 8 3 2"}
"""The worked table: ratings by rater, x for an invalid vote, images 1 to 6 in order."""


def rated(
    table: Mapping[str, str], generators: Iterable[str] = (), prompts: Iterable[str] = ()
) -> ValuesFrame:
    """Return the frame of ratings by rater; `-` is an image the rater did not get."""
    generators, prompts = list(generators), list(prompts)
    rows = []
    for annotator, ratings in table.items():
        for place, said in enumerate(ratings.split()):
            if said == "-":
                continue
            answer = clean({"invalid": "no_person"} if said == "x" else {"rating": int(said)})
            found = [list(map(str, rating)) for rating in REALISM.ratings(answer, {})]
            image = place + 1
            generator = generators[place] if generators else "gA"
            prompt = prompts[place] if prompts else "a man"
            rows.append(
                RatedAnnotation(image, annotator, generator, prompt, "", "pilot", found, image, image)
            )
    return build_values(rows, REALISM)
