"""Compare settings of the display copies' encoder on the published study, and decoding at a fraction.

    STUDY_DATA=PATH .venv/bin/python benchmarks/bench_display.py [--every 12] [--rounds 3]

All settings take turns on the same decoded images. Times are milliseconds of the processor per image, the
best of the rounds; `dB` is the peak signal-to-noise ratio of the copy's RGB values beside the original's, the
mean and the least of the images. Higher is more similar.

Source of the formula: 10 · log10(255² / mean squared error), ITU-T J.340.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from io import BytesIO
from math import log10
from pathlib import Path
from statistics import fmean
from typing import Final

from PIL import Image as Pictures
from PIL import ImageChops, ImageStat

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from annotator.images.decoding import load_picture
from annotator.images.encoding import DISPLAY_EFFORT, DISPLAY_QUALITY, opaque

SETTINGS: Final = ((82, 4), (82, 2), (84, 2), (86, 2), (84, 1), (84, 0))
"""Quality and effort; the first were used until version 1."""
SIDE: Final = 1600
LARGE: Final = 4000


def main() -> None:
    """Measure and print two tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--every", type=int, default=12, help="use every so many images")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    study = os.environ.get("STUDY_DATA", "")
    if not study:
        parser.error("STUDY_DATA names no folder of the published study.")
    files = sorted(path for path in Path(study, "images").rglob("*") if path.suffix in (".jpg", ".png"))
    contents = [path.read_bytes() for path in files[:: options.every]]
    print(encoders([opaque(picture_of(each)) for each in contents], options.rounds))
    print(fractions(contents[:4], options.rounds))


def encoders(pictures: list[Pictures.Image], rounds: int) -> str:
    """Return the table of encoder settings."""
    taken = best([lambda s=s: [encoded(p, *s) for p in pictures] for s in SETTINGS], rounds)  # type: ignore[misc]
    lines = [f"{len(pictures)} images", "", "quality, effort | ms | KB | dB, mean | dB, least"]
    for (quality, effort), seconds in zip(SETTINGS, taken, strict=True):
        copies = [encoded(picture, quality, effort) for picture in pictures]
        same = [similarity(a, picture_of(b)) for a, b in zip(pictures, copies, strict=True)]
        chosen = "  ← in use" if (quality, effort) == (DISPLAY_QUALITY, DISPLAY_EFFORT) else ""
        lines.append(
            f"{quality:7}, {effort:6} | {1000 * seconds / len(pictures):4.1f} "
            f"| {fmean(map(len, copies)) / 1000:4.1f} | {fmean(same):5.2f} | {min(same):5.2f}{chosen}"
        )
    return "\n".join(lines) + "\n"


def fractions(contents: list[bytes], rounds: int) -> str:
    """Return the time to decode and scale large JPEGs, and how similar the results are."""
    large = [jpeg(picture_of(each).resize((LARGE, LARGE), Pictures.Resampling.LANCZOS)) for each in contents]

    def scaled(draft_side: int) -> list[Pictures.Image]:
        found = [load_picture(each, LARGE**2, draft_side=draft_side) for each in large]
        for picture in found:
            picture.thumbnail((SIDE, SIDE), Pictures.Resampling.LANCZOS)
        return found

    whole, part = best([lambda: scaled(0), lambda: scaled(SIDE)], rounds)
    same = [similarity(a, b) for a, b in zip(scaled(0), scaled(SIDE), strict=True)]
    return (
        f"JPEG of {LARGE} × {LARGE} decoded and scaled to {SIDE}: whole {1000 * whole / len(large):.0f} ms, "
        f"at a fraction {1000 * part / len(large):.0f} ms; results {fmean(same):.1f} dB apart, "
        f"least {min(same):.1f} dB"
    )


def best(acts: list[Callable[[], object]], rounds: int) -> list[float]:
    """Return the least seconds of the processor that each took, by turns."""
    taken = [float("inf")] * len(acts)
    for _ in range(rounds):
        for place, act in enumerate(acts):
            begin = time.process_time()
            act()
            taken[place] = min(taken[place], time.process_time() - begin)
    return taken


def picture_of(contents: bytes) -> Pictures.Image:
    """Return a loaded picture as RGB."""
    return Pictures.open(BytesIO(contents)).convert("RGB")


def encoded(picture: Pictures.Image, quality: int, effort: int) -> bytes:
    """Return the picture as WebP."""
    buffer = BytesIO()
    picture.save(buffer, "WEBP", quality=quality, method=effort)
    return buffer.getvalue()


def jpeg(picture: Pictures.Image) -> bytes:
    """Return the picture as JPEG."""
    buffer = BytesIO()
    picture.save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def similarity(one: Pictures.Image, other: Pictures.Image) -> float:
    """Return the peak signal-to-noise ratio in dB; 99 for equal pictures."""
    error = fmean(value**2 for value in ImageStat.Stat(ImageChops.difference(one, other)).rms)
    return 10 * log10(255**2 / error) if error else 99.0


if __name__ == "__main__":
    main()
