"""Results to draw: an invented study large enough for every figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from analysis.protocols.anatomy.agreement import anatomy_agreement as agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from tests.analysis.stats.conftest import framed, rated

COMPUTED: Mapping[str, Callable[[RatingsFrame], object]] = {"agreement": agreement, "comparison": comparison}
PEOPLE = ("ada", "bo", "cy")
CELLS = ("missing.hands", "extra.limbs", "configuration.face", "orientation.feet", "proportion.torso")


def rows() -> list[RatedAnnotation]:
    """48 images of two generators and three prompts, every second one judged by two of three people."""
    rng = np.random.default_rng(11)
    made: list[RatedAnnotation] = []
    for image in range(48):
        for turn in range(1 + image % 2):
            cells = {
                cell: f"{rng.integers(1, 5)}/5{'abc'[rng.integers(3)]}"
                for cell in CELLS
                if rng.random() < 0.3 + 0.2 * (image % 3)
            }
            made.append(
                rated(
                    image,
                    PEOPLE[(image // 2 + turn) % 3],
                    cells,
                    generator=("alpha", "beta")[image % 4 // 2],
                    prompt=("jogging", "hugging", "volleyball")[image % 3],
                    prompt_group=("individual", "pair", "group")[image % 3],
                )
            )
    return made


@cache
def results() -> Mapping[str, Any]:
    """The three results by kind, as the database gives them back."""
    return {kind: stored(kind, rows()) for kind in COMPUTED}


def stored(kind: str, answers: list[RatedAnnotation]) -> Any:
    """A result that has been through JSON."""
    return json.loads(json.dumps(COMPUTED[kind](framed(*answers)), allow_nan=False))
