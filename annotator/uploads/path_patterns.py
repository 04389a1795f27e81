"""Read file names by a pattern such as `{generator}/{prompt}/{number}`.

A pattern covers the last folders of a path and the file name without its extension; folders above are
ignored. A field matches at least one letter or digit, `{number}` a whole run of the digits 0 to 9, `{*}`
anything or nothing; all else is literal, ignoring case. A repeated field must match the same name, as in
`{generator}/{generator}_{prompt}_{number}`.

If nobody has said how names are read, folders of generators with folders of prompts are the layout that
the pages ask for. Any other is a guess, and used only if what it reads looks like generators and prompts;
there is no list of generators. Otherwise the lead is asked which generator made the images.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

from annotator.exchange.formats.names import normal_form, prompt_of_folder, whole_number
from annotator.inputs.refusal import Refusal

FIELDS: Final = ("generator", "prompt", "prompt_group", "number")
ANYTHING: Final = "*"
LONGEST_PATTERN: Final = 400
MOST_FIELDS: Final = 12
LONGEST_SEGMENT: Final = 255
"""Characters of a folder's or file's name: no file system allows longer ones."""

# The same few names recur in many folders.
_normal: Final = lru_cache(maxsize=8192)(normal_form)
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_ENDING: Final = re.compile(r"\.(?:png|jpe?g|jfif|webp|gif|bmp|tiff?|avif|heic)\Z", re.IGNORECASE)
_DIGITS: Final = re.compile(r"[0-9]+")
# Two adjacent fields have no defined boundary.
_STRETCHING: Final = ("generator", "prompt", "prompt_group", ANYTHING)


class PatternRefused(Refusal, ValueError):
    """An invalid pattern."""


@dataclass(frozen=True)
class Literal:
    """Literal text."""

    text: str


@dataclass(frozen=True)
class Field:
    """A field: one of FIELDS, or ANYTHING."""

    name: str


Part: TypeAlias = Literal | Field
Texts: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Pattern:
    """A parsed pattern: a tuple of parts for each folder and the file name."""

    text: str
    segments: tuple[tuple[Part, ...], ...]

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields of the pattern."""
        parts = (part for segment in self.segments for part in segment)
        return frozenset(part.name for part in parts if isinstance(part, Field)) - {ANYTHING}


@dataclass(frozen=True)
class Named:
    """The fields read; empty or None for those not in the pattern."""

    generator: str = ""
    prompt: str = ""
    prompt_group: str = ""
    number: int | None = None


@lru_cache(maxsize=256)
def parse_pattern(text: str) -> Pattern:
    """Parse a pattern. Raises PatternRefused."""
    plain = _plain(text)
    if len(plain) > LONGEST_PATTERN:
        raise PatternRefused(f"The pattern is longer than {LONGEST_PATTERN} characters. Shorten it.")
    segments = tuple(_parts(segment) for segment in _split(plain))
    pattern = Pattern(plain, segments)
    if not pattern.fields:
        listed = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise PatternRefused(f"The pattern has no field. Add at least one of {listed}.")
    if sum(isinstance(part, Field) for segment in segments for part in segment) > MOST_FIELDS:
        raise PatternRefused(f"The pattern has more than {MOST_FIELDS} fields.")
    return pattern


def read_name(pattern: Pattern | str, name: str) -> Named | None:
    """Return the fields read from a path; None if it does not match. Raises PatternRefused."""
    pattern = parse_pattern(pattern) if isinstance(pattern, str) else pattern
    texts = _texts(pattern, segments_of(name))
    if texts is None:
        return None
    number = whole_number(texts["number"]) if "number" in texts else None
    if "number" in texts and number is None:
        return None
    prompt = texts.get("prompt", "")
    if _joined_by_hyphens(pattern) and not re.search(r"[_\s]", prompt):
        prompt = prompt.replace("-", " ")
    return Named(
        generator=" ".join(texts.get("generator", "").split()),
        prompt=prompt_of_folder(prompt),
        prompt_group=prompt_of_folder(texts.get("prompt_group", "")),
        number=number,
    )


def misfit(pattern: Pattern | str, name: str) -> str:
    """Return why a pattern does not match a path, and the repair; empty if it does."""
    pattern = parse_pattern(pattern) if isinstance(pattern, str) else pattern
    if read_name(pattern, name) is not None:
        return ""
    found, wanted = segments_of(name), pattern.segments
    if len(found) < len(wanted):
        lies = f"is in {_folders(len(found) - 1)}" if len(found) > 1 else "is in no folder"
        return f"“{name}” {lies}, but the pattern has {_folders(len(wanted) - 1)}: {_ADVICE}"
    texts = _texts(pattern, found)
    if texts is not None:
        return f"The number {texts['number'][:20]} of “{name}” is too large: {_ADVICE}"
    spelt = pattern.text.split("/")
    for part, segment, text in zip(wanted, found[-len(wanted) :], spelt, strict=True):
        if _match(part, segment, {}) is None:
            what = "has no run of the digits 0 to 9" if text == "{number}" else f"does not match “{text}”"
            return f"“{segment}” of “{name}” {what}: {_ADVICE}"
    return f"“{name}” has different values for a repeated field: {_ADVICE}"


_ADVICE: Final = "change the pattern, or name the file in a manifest."


def segments_of(name: str) -> tuple[str, ...]:
    """Return the folders and the file name of a path, without an image extension."""
    return tuple(_split(_plain(name)))


def _plain(text: str) -> str:
    # File names from macOS are decomposed Unicode.
    return unicodedata.normalize("NFC", text).replace("\\", "/").strip("/ ")


def _split(plain: str) -> list[str]:
    *folders, last = plain.split("/")
    return [segment for segment in folders if segment not in ("", ".")] + [_ENDING.sub("", last)]


def _folders(count: int) -> str:
    return "1 folder" if count == 1 else f"{count} folders"


def _parts(segment: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    # Odd indexes hold the text between braces.
    for place, text in enumerate(_BRACES.split(segment)):
        if place % 2 == 0 and text:
            if "{" in text or "}" in text:
                raise PatternRefused(f"A brace in “{text}” has no partner.", "brace")
            parts.append(Literal(text))
        elif place % 2:
            parts.append(_field(text))
    _check_neighbours(parts)
    return tuple(parts)


def _field(text: str) -> Field:
    name = text.strip().lower().replace(" ", "_")
    if name not in (*FIELDS, ANYTHING):
        listed = ", ".join(f"{{{each}}}" for each in (*FIELDS, ANYTHING))
        raise PatternRefused(f"{{{text}}} is not a field. Use {listed}.", "no-field")
    return Field(name)


def _check_neighbours(parts: list[Part]) -> None:
    names = [part.name if isinstance(part, Field) else "" for part in parts]
    for name in FIELDS:
        if names.count(name) > 1:
            raise PatternRefused(f"{{{name}}} is used twice in one folder's or file's name. Remove one.")
    for first, second in pairwise(names):
        if first in _STRETCHING and second in _STRETCHING:
            raise PatternRefused(
                f"{{{first}}}{{{second}}}: separate adjacent fields, for example with a hyphen."
            )


def _joined_by_hyphens(pattern: Pattern) -> bool:
    """Return whether hyphens stand for spaces, as they do if only hyphens separate the prompt."""
    for segment in pattern.segments:
        if Field("prompt") in segment:
            literals = [part.text for part in segment if isinstance(part, Literal)]
            return bool(literals) and all(text == "-" for text in literals)
    return False


def _texts(pattern: Pattern, found: tuple[str, ...]) -> dict[str, str] | None:
    if len(found) < len(pattern.segments):
        return None
    texts: dict[str, str] = {}
    for parts, segment in zip(pattern.segments, found[-len(pattern.segments) :], strict=True):
        read = None if len(parts) > 1 and len(segment) > LONGEST_SEGMENT else _match(parts, segment, texts)
        if read is None:
            return None
        texts = {**read, **texts}
    return texts


def _match(parts: tuple[Part, ...], text: str, bound: Texts) -> dict[str, str] | None:
    """Return the fields of a segment, or None. Each position is tried once per part, to bound the time."""
    dead: set[tuple[int, int]] = set()

    def walk(index: int, at: int) -> dict[str, str] | None:
        if index == len(parts):
            return {} if at == len(text) else None
        if (index, at) in dead:
            return None
        part = parts[index]
        for end in _ends(parts, index, text, at):
            if (index + 1, end) in dead:
                rest = None  # before its text is normalised
            elif isinstance(part, Literal) or part.name == ANYTHING:
                rest = walk(index + 1, end)
            elif _fits(part.name, text[at:end], bound):
                rest = walk(index + 1, end)
                rest = None if rest is None else {part.name: text[at:end], **rest}
            else:
                rest = None
            if rest is not None:
                return rest
        dead.add((index, at))
        return None

    return walk(0, 0)


def _ends(parts: tuple[Part, ...], index: int, text: str, at: int) -> Iterator[int]:
    """Yield the possible ends of a part that starts at `at`, most likely first."""
    part = parts[index]
    if isinstance(part, Literal):
        end = at + len(part.text)
        if text[at:end].casefold() == part.text.casefold():
            yield end
    elif part.name == "number":
        run = _DIGITS.match(text, at)
        if run and (at == 0 or not _DIGITS.match(text, at - 1)):
            yield run.end()
    elif index == len(parts) - 1:
        if part.name == ANYTHING or at < len(text):
            yield len(text)
    elif part.name == ANYTHING:
        # Greedy, because the number is the last one in the name.
        yield from range(len(text), at - 1, -1)
    elif part.name == "prompt" and not {Field("generator"), Field(ANYTHING)}.isdisjoint(parts[index:]):
        yield from range(len(text), at, -1)
    else:
        yield from range(at + 1, len(text) + 1)


def _fits(name: str, text: str, bound: Texts) -> bool:
    if name == "number":
        return name not in bound or whole_number(text) == whole_number(bound[name])
    normal = _normal(text)
    return bool(normal) and (name not in bound or _normal(bound[name]) == normal)


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
    *(f"{{generator}}{by}{{prompt}}{by}{{number}}" for by in ("__", "_", "-")),
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
    rf"|\b\d{{1,2}}\.? (?:{_MONTHS})[a-z]*\.?,? (?:19|20)\d\d"  # 2 April 2025
    r"|(?<!\d)1\d{9}(?:\d{3})?(?!\d)"  # 1743588930, seconds or milliseconds since 1970
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
    each image; a guess has to give 2 to 30, each with more than one image, and not one prompt for each image.
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
    prompts = {normal_form(read.prompt) for read in named}
    return 1 < len(images) <= MOST_GENERATORS and min(images.values()) > 1 and len(prompts) < len(named)
