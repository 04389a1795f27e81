"""Choose how names are read if nobody has said so: by folders, or by parts of file names.

Folders of generators with folders of prompts are the layout that the pages ask for. Any other is a guess, and
used only if what it reads looks like generators and prompts; there is no list of generators. Otherwise the
lead is asked which generator made the images.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from annotator.exchange.formats.names import normal_form
from annotator.uploads.patterns import Named, parse_pattern, read_name, segments_of

MOST_GENERATORS: Final = 30
"""A layout that reads more generators is not used without asking."""
MOST_NAMES: Final = 20_000
"""Names that decide, evenly spaced."""

_NUMBERED: Final = ("{*}{number}", "{*}{number}{*}")
_NUMBERS: Final = (*_NUMBERED, "{*}")
_SEPARATED: Final = (" ({number})", "_{number}", "-{number}", " {number}")
_FOLDERS: Final = "{generator}/{prompt}/"
_BOTH: Final = (
    *(f"{_FOLDERS}{number}" for number in _NUMBERS),
    *(f"{{generator}}/{{prompt}}{number}" for number in _SEPARATED),
    *(f"{{generator}}{by}{{prompt}}{by}{{number}}" for by in ("_", "-")),
)
_PROMPT: Final = (
    *(f"{{prompt}}/{number}" for number in _NUMBERS),
    *(f"{{prompt}}{number}" for number in _SEPARATED),
)
_LEAST_READ: Final = 2 / 3
_MOST_COPIES: Final = 0.1
_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_STAMPS: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-"  # UUID
    r"|(?<!\d)(?:19|20)\d\d[-._ ]?(?:0[1-9]|1[0-2])[-._ ]?(?:0[1-9]|[12]\d|3[01])(?!\d)"  # 2025-04-02
    rf"|\b(?:{_MONTHS})[a-z]*\.? \d{{1,2}},? (?:19|20)\d\d"  # Apr 2, 2025
    rf"|\b\d{{1,2}}\.? (?:{_MONTHS})[a-z]* (?:19|20)\d\d"  # 2 April 2025
    r"|\b\d{1,2}[:._ ]\d\d(?:[:._ ]\d\d)?\s?[ap]\.?m\b"  # 10_15_30 AM
    r"|\b(?:[01]?\d|2[0-3])[:.][0-5]\d[:.][0-5]\d\b",  # 10:15:30
    re.IGNORECASE,
)


def holds_stamp(text: str) -> bool:
    """Return whether a text holds a UUID, a date or a time, as names that a program gives do."""
    return bool(_STAMPS.search(text))


def chosen_layout(names: Sequence[str], given: Collection[str] = ()) -> str:
    """Return the pattern by which names are read; empty if they do not say what made them.

    `given` are fields that the lead has given for all files. Folders may give 30 generators, but not one for
    each image; a guess has to give 2 to 30, each with more than one image.
    """
    return next((text for text, named in _layouts(names, given) if _is_plausible(text, named, given)), "")


def suggested_layout(names: Sequence[str]) -> str:
    """Return the first pattern that reads the names, whatever they say; empty if there is none."""
    return next((text for text, _ in _layouts(names, ())), "")


def _layouts(names: Sequence[str], given: Collection[str]) -> Iterator[tuple[str, list[Named]]]:
    """Yield the layouts that read most names, without stamps in them, and what they read."""
    some = names[:: len(names) // MOST_NAMES + 1]
    depth = max((len(segments_of(name)) for name in some), default=0)
    # Digits of a name that a program has given are no number.
    numbered = not any(holds_stamp(segments_of(name)[-1]) for name in some)
    for text in _NUMBERED if "prompt" in given else _PROMPT if "generator" in given else _BOTH:
        pattern = parse_pattern(text)
        if len(pattern.segments) > depth or ("number" in pattern.fields and not numbered):
            continue
        named = [read for name in some if (read := read_name(pattern, name)) is not None]
        texts = {read.generator for read in named} | {read.prompt for read in named}
        if named and len(named) >= _LEAST_READ * len(some) and not any(map(holds_stamp, texts)):
            yield text, named


def _is_plausible(text: str, named: Sequence[Named], given: Collection[str]) -> bool:
    places = Counter(
        (normal_form(read.generator), normal_form(read.prompt), read.number)
        for read in named
        if read.number is not None
    )
    # A few files may be copies of others.
    if sum(places.values()) - len(places) > _MOST_COPIES * len(named):
        return False
    if "generator" in given:
        return True
    images = Counter(normal_form(read.generator) for read in named)
    if text.startswith(_FOLDERS):
        return len(images) <= MOST_GENERATORS and not 1 < len(images) == len(named)
    return 1 < len(images) <= MOST_GENERATORS and min(images.values()) > 1
