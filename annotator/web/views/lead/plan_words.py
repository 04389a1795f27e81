"""Balance tables and batch settings for display."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from annotator.batches.planning.design import ENOUGH_SHARED, images_shared
from annotator.models import Batch
from annotator.protocols.page import COLUMNS
from annotator.protocols.registry import page_of

PROMPTS_LISTED = 3000
"""Pairs of annotator and prompt that are listed; beyond this, the table shows only their range."""

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


@dataclass(frozen=True)
class Overlap:
    """How many of the images several annotators get, and how many annotators each of them."""

    shared: int
    images: int
    per_image: int
    enough: int = ENOUGH_SHARED

    @property
    def few(self) -> bool:
        """Whether too few images are shared to measure agreement; False if a lead wanted none."""
        return 0 < self.shared < self.enough


def overlap_of(batch: Batch, images: int) -> Overlap:
    """Return the overlap planned for a batch with this many images.

    The share has four decimals, so the number is exact for batches of up to 10,000 images.
    """
    return Overlap(images_shared(Fraction(batch.overlap), images), images, batch.per_image)


@dataclass(frozen=True)
class MarginRow:
    """One row of the table; `even` is rounded for display."""

    title: str
    smallest: int
    largest: int
    even: str
    within: bool
    note: str

    @property
    def span(self) -> str:
        """Smallest and largest count, or the count if they are equal."""
        return _span([self.smallest, self.largest])


@dataclass(frozen=True)
class Load:
    """The images of one annotator; `counts` follow the table's generators, `prompts` is empty if too many."""

    annotator: str
    total: int
    overlap: int
    counts: tuple[int, ...]
    fewest: int
    most: int
    prompts: tuple[tuple[str, int], ...]
    anchors: int = 0
    repeats: int = 0

    @property
    def all(self) -> int:
        """All images of the queue."""
        return self.total + self.anchors + self.repeats


@dataclass(frozen=True)
class BalanceTable:
    """The balance of a plan for display."""

    margins: tuple[MarginRow, ...]
    generators: tuple[str, ...]
    loads: tuple[Load, ...]

    @property
    def uneven(self) -> tuple[MarginRow, ...]:
        """The margins with a count more than 1 from its share."""
        return tuple(row for row in self.margins if not row.within)

    @property
    def sentence(self) -> str:
        """What each annotator gets: `each annotator 24 images, 8 per generator, 6 per prompt`."""
        if not self.loads:
            return ""
        totals = [load.total for load in self.loads]
        by_generator = [count for load in self.loads for count in load.counts]
        by_prompt = [count for load in self.loads for count in (load.fewest, load.most)]
        images = "image" if totals[0] == max(totals) == 1 else "images"
        parts = [f"each annotator {_span(totals)} {images}"]
        parts += [f"{_span(by_generator)} per generator"] if len(self.generators) > 1 else []
        return ", ".join([*parts, f"{_span(by_prompt)} per prompt"])

    @property
    def has_checks(self) -> bool:
        """Whether some annotator has anchors or repeats."""
        return any(load.all > load.total for load in self.loads)

    @property
    def by_prompt(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return each prompt with its counts in the order of the annotators."""
        prompts = [name for name, _ in self.loads[0].prompts] if self.loads else []
        return [(name, tuple(load.prompts[at][1] for load in self.loads)) for at, name in enumerate(prompts)]


def balance_table(balance: Mapping[str, Any]) -> BalanceTable:
    """Return the table of `planning.Balance.as_json()`."""
    work: Sequence[Mapping[str, Any]] = balance["workload"]
    generators = tuple(sorted({name for row in work for name in row["by_generator"]}))
    prompts = sorted({name for row in work for name in row["by_prompt"]})
    listed = prompts if len(prompts) * len(work) <= PROMPTS_LISTED else []
    return BalanceTable(
        margins=tuple(_margin(row) for row in balance["margins"]),
        generators=generators,
        loads=tuple(_load(row, generators, prompts, listed) for row in work),
    )


@dataclass(frozen=True)
class DrawingTable:
    """The images of a second stage: (drawn, available) by prompt and generator, totals last."""

    generators: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    sums: tuple[tuple[int, int], ...]
    control: int
    left_out: tuple[tuple[int, str], ...]


def drawing_table(drawing: Mapping[str, Any]) -> DrawingTable:
    """Return the table of `stages.drawing.Drawing.as_json()`; only totals if there are too many prompts."""
    strata = {(generator, prompt): (taken, there) for generator, prompt, taken, there in drawing["strata"]}
    generators = tuple(sorted({generator for generator, _ in strata}))
    prompts = sorted({prompt for _, prompt in strata})
    listed = prompts if len(prompts) * len(generators) <= PROMPTS_LISTED else []
    by_generator = [_summed(pair for (one, _), pair in strata.items() if one == name) for name in generators]

    def row(prompt: str) -> tuple[tuple[int, int], ...]:
        pairs = [strata.get((generator, prompt), (0, 0)) for generator in generators]
        return (*pairs, _summed(pairs))

    return DrawingTable(
        generators=generators,
        rows=tuple((prompt, row(prompt)) for prompt in listed),
        sums=(*by_generator, (drawing["images"], drawing["of"])),
        control=drawing["control"],
        left_out=tuple((count, words) for count, words in drawing["left_out"]),
    )


def _summed(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    drawn, there = zip(*pairs, strict=True)
    return sum(drawn), sum(there)


def _margin(row: Mapping[str, Any]) -> MarginRow:
    varied = _shares_vary(row)
    return MarginRow(
        title=MARGINS.get(row["name"], str(row["name"])),
        smallest=row["smallest"],
        largest=row["largest"],
        even=f"{_decimal(row['even'])} on average" if varied else _decimal(row["even"]),
        within=row["within"],
        note=_note(row, varied=varied),
    )


def _shares_vary(row: Mapping[str, Any]) -> bool:
    """Return whether the shares differ: some counts are then further from the mean than from their share."""
    even, off = Fraction(row["even"]), Fraction(row["off"])
    return max(even - int(row["smallest"]), int(row["largest"]) - even) > off


def _note(row: Mapping[str, Any], *, varied: bool) -> str:
    if row["note"]:
        return str(row["note"])
    if not row["within"]:
        return f"Up to {_decimal(row['off'])} from the even share."
    if not varied:
        return ""
    if Fraction(row["off"]) == 0:
        return "(each is exactly its share)"
    return f"(at most {_decimal(row['off'])} from each share)"


def _span(counts: Sequence[int]) -> str:
    """Return the smallest and the largest count, or the count if they are equal."""
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _decimal(fraction: str) -> str:
    return f"{float(Fraction(fraction)):.2f}".rstrip("0").rstrip(".")


def _load(
    row: Mapping[str, Any], generators: Sequence[str], prompts: Sequence[str], listed: Sequence[str]
) -> Load:
    by_prompt: Mapping[str, int] = row["by_prompt"]
    counts = [by_prompt.get(name, 0) for name in prompts]
    return Load(
        annotator=row["annotator"],
        total=row["total"],
        overlap=row["overlap"],
        counts=tuple(row["by_generator"].get(name, 0) for name in generators),
        fewest=min(counts, default=0),
        most=max(counts, default=0),
        prompts=tuple((name, by_prompt.get(name, 0)) for name in listed),
        anchors=row["anchors"],
        repeats=row["repeats"],
    )


def settings_in_words(protocol: str, holder: object, own: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return a protocol's settings as (title, value); `holder` has the columns, `own` the others."""
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
    ]
