"""Balance tables and batch settings for display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any, Final

from annotator.batches.planning.balance import Balance, Margin, Workload
from annotator.batches.planning.design import images_shared
from annotator.models import Batch
from annotator.protocols.page import COLUMNS, SUGGESTIONS
from annotator.protocols.registry import page_of

MARGINS: Final[Mapping[str, str]] = {
    "annotator": "Images per annotator",
    "annotator × generator": "Images per annotator and generator",
    "annotator × prompt": "Images per annotator and prompt",
    "pair": "Overlap images per pair of annotators",
    "pair × generator": "Overlap images per pair of annotators and generator",
    "overlap × generator": "Overlap images per generator",
    "overlap × prompt": "Overlap images per prompt",
    "overlap × generator × prompt": "Overlap images per generator and prompt",
}


def shared_in(batch: Batch, images: int) -> int:
    """Return how many of so many images of a batch its plan gives to several annotators.

    The share has four decimals, so the number is exact for batches of up to 10,000 images.
    """
    return images_shared(Fraction(batch.overlap), images)


def balance_table(balance: Balance) -> dict[str, Any]:
    """Return what the template of a plan shows of its balance.

    `loads` are the annotators: their `counts` follow `generators`.
    """
    generators = sorted({name for row in balance.workload for name in row.by_generator})
    prompts = sorted({name for row in balance.workload for name in row.by_prompt})
    loads = [_load(row, generators, prompts) for row in balance.workload]
    return {
        "uneven": [_margin(row) for row in balance.margins if not row.within],
        "generators": generators,
        "loads": loads,
        "sentence": _sentence(loads, generators),
        "has_checks": any(load["all"] > load["total"] for load in loads),
    }


def _load(row: Workload, generators: Sequence[str], prompts: Sequence[str]) -> dict[str, Any]:
    by_prompt = [row.by_prompt.get(name, 0) for name in prompts]
    return {
        **asdict(row),
        "counts": [row.by_generator.get(name, 0) for name in generators],
        "fewest": min(by_prompt, default=0),
        "most": max(by_prompt, default=0),
        "all": row.total + row.anchors + row.repeats,
    }


def _sentence(loads: Sequence[Mapping[str, Any]], generators: Sequence[str]) -> str:
    """Return what each annotator gets: `each annotator 24 images, 8 per generator, 6 per prompt`."""
    if not loads:
        return ""
    totals = [load["total"] for load in loads]
    by_generator = [count for load in loads for count in load["counts"]]
    by_prompt = [count for load in loads for count in (load["fewest"], load["most"])]
    images = "image" if totals[0] == max(totals) == 1 else "images"
    parts = [f"each annotator {_span(totals)} {images}"]
    parts += [f"{_span(by_generator)} per generator"] if len(generators) > 1 else []
    return ", ".join([*parts, f"{_span(by_prompt)} per prompt"])


def _margin(row: Margin) -> dict[str, Any]:
    # Where shares differ, some counts are further from their mean than from their own share.
    varied = max(row.even - row.smallest, row.largest - row.even) > row.off
    return {
        **asdict(row),
        "title": MARGINS[row.name],
        "even": _decimal(row.even) + (" on average" if varied else ""),
        "off": _decimal(row.off),
    }


def _decimal(value: Fraction) -> str:
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def _span(counts: Sequence[int]) -> str:
    """Return the smallest and the largest count, or the count if they are equal."""
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def settings_in_words(protocol: str, holder: object, own: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return a protocol's settings as (title, value); `holder` has the columns, `own` the others.

    A batch without suggestions says nothing of them: most projects never have any.
    """
    return [
        (
            setting.short,
            setting.in_words(
                getattr(holder, setting.name)
                if setting.name in COLUMNS
                else own.get(setting.name, setting.default)
            ),
        )
        for setting in page_of(protocol).settings
        if setting != SUGGESTIONS or own.get(setting.name)
    ]
