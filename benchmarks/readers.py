"""How often intervals over readers contain the true value: the table of detection in statistics.md.

    .venv/bin/python -m benchmarks.readers

`SCENARIOS` lists the simulated studies, `MEASURES` what a report computes from each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from scipy import special

from analysis.stats.comparison.detection import MEASURES, detection_tables
from analysis.stats.generic.values import ValuesFrame
from benchmarks.coverage import SEED, held, write_table
from benchmarks.frames import described
from scoring.rating_form.definition import FormDefinition, Item
from scoring.rating_form.protocol import protocol_of


@dataclass(frozen=True)
class Readings:
    """A study in which readers call `images` of each kind real or generated.

    An image looks generated to a reader by half the reader's skill, less for real images, plus the reader's
    suspicion, what the image is like, and noise, all normal. Skill has the mean `skill` and the standard
    deviation `readers_differ`, suspicion half of that, images `images_differ`, noise 1.
    """

    name: str
    readers: int = 6
    images: int = 50
    skill: float = 1.2
    readers_differ: float = 0.6
    images_differ: float = 0.7


SCENARIOS: Final = (
    Readings("6 readers, 50 images of each kind"),
    Readings("4 readers, 12 images of each kind", readers=4, images=12),
    Readings("20 readers, 25 images of each kind", readers=20, images=25),
    Readings("equal readers", readers_differ=0.0),
    Readings("equal images", images_differ=0.0),
    Readings("nobody sees a difference", skill=0.0),
)
ORIGIN: Final = protocol_of(FormDefinition("o", "O", "o", (Item("o", "yes_no", "Generated?", detects=True),)))


def of_detection(scenario: Readings, runs: int) -> list[str]:
    """Return for each of `MEASURES`: the share of intervals of all readers that hold; truth and error."""
    rng = np.random.default_rng([SEED, *scenario.name.encode()])
    spread = (1 + scenario.images_differ**2) ** 0.5
    everybody = (spread**2 + scenario.readers_differ**2 / 2) ** 0.5
    share = float(special.ndtr(scenario.skill / 2 / everybody))
    truths = [share, share, share, scenario.skill / spread]
    found = [detection_tables(readings_study(scenario, rng))[0]["rows"][-1][3:] for _ in range(runs)]
    return [held(truth, estimates) for truth, estimates in zip(truths, zip(*found, strict=True), strict=True)]


def readings_study(scenario: Readings, rng: np.random.Generator) -> ValuesFrame:
    """Return a study in which every reader sees every image; the first half of the images is real."""
    shape, differ = (2 * scenario.images, scenario.readers), scenario.readers_differ
    skill, suspicion = rng.normal(scenario.skill, differ, shape[1]), rng.normal(0, differ / 2, shape[1])
    kind = np.repeat([-0.5, 0.5], scenario.images)[:, None]
    looks = rng.normal(0, scenario.images_differ, (shape[0], 1)) + rng.normal(size=shape)
    called = (kind * skill + suspicion + looks > 0).astype(np.float64)
    image, reader = (codes.ravel() for codes in np.indices(shape))
    table = described(pd.DataFrame({"image": image, "annotator": reader, "generator": 0, "prompt": 0}))
    return ValuesFrame(table, ORIGIN, {"o": called.reshape(-1, 1)}, real=np.arange(scenario.images))


if __name__ == "__main__":
    write_table("detection", SCENARIOS, of_detection, [title for _, title, *_ in MEASURES], 500)
