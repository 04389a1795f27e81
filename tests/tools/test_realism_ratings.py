"""The simulated realism ratings of the demo: the true order is known, and people recover it."""

from __future__ import annotations

import csv
from collections import defaultdict
from fractions import Fraction

from scipy import stats

from annotator.protocols.realism.sheet_format import read
from scoring.realism.consolidation import consolidate
from tools.demo_study import REALISM, TARGET, plan_demo_study, plan_rated_images
from tools.realism_ratings import RATERS, realism_of

Place = tuple[str, str, int]


def rated() -> dict[Place, list[int | None]]:
    """Return the ratings of each image; None for an invalid vote."""
    found: dict[Place, list[int | None]] = defaultdict(list)
    with (TARGET / REALISM).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            payload = read({name: row[name] for name in ("rating", "invalid", "note")}).payload
            assert payload is not None
            found[row["generator"], row["prompt"], int(row["number"])].append(payload["rating"])
    return found


def test_every_image_has_five_raters_and_several_people_are_invalid() -> None:
    alone = {
        (image.generator, image.prompt, image.number): len(image.scene.figures) == 1
        for image in (*plan_demo_study(), *plan_rated_images())
    }
    ratings = rated()
    assert all(len(said) == len(RATERS) for said in ratings.values())
    for place, said in ratings.items():
        # Some raters do not notice that there are several people: one of these images has a score.
        assert said.count(None) in ([0] if alone[place] else range(2, 6))


def test_the_scores_follow_the_planted_errors() -> None:
    truth = {
        (image.generator, image.prompt, image.number): realism_of(image.truth)
        for image in (*plan_demo_study(), *plan_rated_images())
    }
    scores: dict[Place, Fraction] = {}
    for place, said in rated().items():
        outcome = consolidate([each for each in said if each is not None], said.count(None))
        if outcome.score is not None:
            scores[place] = outcome.score
    places = sorted(scores)
    found = stats.spearmanr([truth[place] for place in places], [float(scores[place]) for place in places])
    assert len(places) >= 20
    assert found.statistic > 0.8
