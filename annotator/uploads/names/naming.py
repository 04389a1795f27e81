"""What a file's name says about its picture, read by a pattern such as `{generator}/{prompt}/{number}`.

A pattern speaks of the last folders of a path and of the file name without its ending; folders above them
are passed over. A field reads at least one letter or digit, `{number}` a whole run of the digits 0 to 9,
`{*}` anything or nothing; whatever else stands in the pattern is read as it stands, without case. A field
that comes twice must read the same name twice, as in `{generator}/{generator}_{prompt}_{number}`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
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
"""Characters of a folder's or file's name that is taken apart: no file system has longer ones."""

# The same few names are met in one folder after the other.
_normal: Final = lru_cache(maxsize=8192)(normal_form)
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_ENDING: Final = re.compile(r"\.(?:png|jpe?g|jfif|webp|gif|bmp|tiff?|avif|heic)\Z", re.IGNORECASE)
_DIGITS: Final = re.compile(r"[0-9]+")
# Two of these side by side would leave it to chance where the one ends and the other begins.
_STRETCHING: Final = ("generator", "prompt", "prompt_group", ANYTHING)


class PatternRefused(Refusal, ValueError):
    """A pattern that cannot be used; the message says why, for people."""


@dataclass(frozen=True)
class Literal:
    """Text that stands in the name as it stands in the pattern."""

    text: str


@dataclass(frozen=True)
class Field:
    """A place that is read: one of FIELDS, or ANYTHING."""

    name: str


Part: TypeAlias = Literal | Field
Texts: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Pattern:
    """A pattern taken apart, a tuple of parts for each folder and the last for the file name."""

    text: str
    segments: tuple[tuple[Part, ...], ...]

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields that it reads."""
        parts = (part for segment in self.segments for part in segment)
        return frozenset(part.name for part in parts if isinstance(part, Field)) - {ANYTHING}


@dataclass(frozen=True)
class Known:
    """Names in their normal forms that decide where a name could be taken apart in several ways."""

    generators: AbstractSet[str] = field(default_factory=frozenset)
    prompts: AbstractSet[str] = field(default_factory=frozenset)

    def of(self, name: str) -> AbstractSet[str]:
        """The names known of a field."""
        return {"generator": self.generators, "prompt": self.prompts}.get(name, frozenset())


NOTHING_KNOWN: Final = Known()


@dataclass(frozen=True)
class Named:
    """What was read; empty or None for what the pattern has no field for."""

    generator: str = ""
    prompt: str = ""
    prompt_group: str = ""
    number: int | None = None


@lru_cache(maxsize=256)
def parse_pattern(text: str) -> Pattern:
    """Take a pattern apart. Raises PatternRefused, in words for people."""
    plain = _plain(text)
    if len(plain) > LONGEST_PATTERN:
        raise PatternRefused(f"The pattern is longer than {LONGEST_PATTERN} characters.")
    segments = tuple(_parts(segment) for segment in _split(plain))
    pattern = Pattern(plain, segments)
    if not pattern.fields:
        listed = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise PatternRefused(f"The pattern reads nothing: put at least one of {listed} into it.")
    if sum(isinstance(part, Field) for segment in segments for part in segment) > MOST_FIELDS:
        raise PatternRefused(f"The pattern has more than {MOST_FIELDS} fields.")
    return pattern


def read_name(pattern: Pattern | str, name: str, known: Known = NOTHING_KNOWN) -> Named | None:
    """What a pattern reads in a path; None where it does not fit. Raises PatternRefused for a bad pattern."""
    pattern = parse_pattern(pattern) if isinstance(pattern, str) else pattern
    texts = _texts(pattern, segments_of(name), known)
    if texts is None:
        return None
    number = whole_number(texts["number"]) if "number" in texts else None
    if "number" in texts and number is None:
        return None
    return Named(
        generator=" ".join(texts.get("generator", "").split()),
        prompt=_prompt(pattern, texts.get("prompt", "")),
        prompt_group=prompt_of_folder(texts.get("prompt_group", "")),
        number=number,
    )


def misfit(pattern: Pattern | str, name: str) -> str:
    """Why a pattern does not read a path, and what to do, for people; empty where it does."""
    pattern = parse_pattern(pattern) if isinstance(pattern, str) else pattern
    if read_name(pattern, name) is not None:
        return ""
    found, wanted = segments_of(name), pattern.segments
    if len(found) < len(wanted):
        lies = f"lies in {_folders(len(found) - 1)}" if len(found) > 1 else "lies in no folder"
        return f"“{name}” {lies}, the pattern names {_folders(len(wanted) - 1)}: {_ADVICE}"
    texts = _texts(pattern, found, NOTHING_KNOWN)
    if texts is not None:
        return f"The number {texts['number'][:20]} of “{name}” is too large: {_ADVICE}"
    spelt = pattern.text.split("/")
    for part, segment, text in zip(wanted, found[-len(wanted) :], spelt, strict=True):
        if _match(part, segment, {}, ()) is None:
            what = "no run of the digits 0 to 9" if text == "{number}" else f"nothing that fits “{text}”"
            return f"“{segment}” of “{name}” has {what}: {_ADVICE}"
    return f"“{name}” names one thing twice, and differently: {_ADVICE}"


_ADVICE: Final = "change the pattern, or fill in this row."


def segments_of(name: str) -> tuple[str, ...]:
    """The folders and the file name of a path, the latter without the ending of a picture."""
    return tuple(_split(_plain(name)))


def _plain(text: str) -> str:
    # Files from a Mac come decomposed: the same letters, other code points.
    return unicodedata.normalize("NFC", text).replace("\\", "/").strip("/ ")


def _split(plain: str) -> list[str]:
    *folders, last = plain.split("/")
    return [segment for segment in folders if segment not in ("", ".")] + [_ENDING.sub("", last)]


def _folders(count: int) -> str:
    return "1 folder" if count == 1 else f"{count} folders"


def _parts(segment: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    # Odd places hold what stood between braces.
    for place, text in enumerate(_BRACES.split(segment)):
        if place % 2 == 0 and text:
            parts.append(_literal(text))
        elif place % 2:
            parts.append(_field(text))
    _check_neighbours(parts)
    return tuple(parts)


def _literal(text: str) -> Literal:
    if "{" in text or "}" in text:
        raise PatternRefused(f"A brace in “{text}” has no partner.", "brace")
    return Literal(text)


def _field(text: str) -> Field:
    name = text.strip().lower().replace(" ", "_")
    if name not in (*FIELDS, ANYTHING):
        listed = ", ".join(f"{{{each}}}" for each in (*FIELDS, ANYTHING))
        raise PatternRefused(f"{{{text}}} is no field; there are {listed}.", "no-field")
    return Field(name)


def _check_neighbours(parts: list[Part]) -> None:
    names = [part.name if isinstance(part, Field) else "" for part in parts]
    for name in FIELDS:
        if names.count(name) > 1:
            raise PatternRefused(f"{{{name}}} stands twice in one folder's or file's name.")
    for first, second in pairwise(names):
        if first in _STRETCHING and second in _STRETCHING:
            raise PatternRefused(
                f"{{{first}}}{{{second}}}: put something between the two, or nobody knows where one ends."
            )


def _prompt(pattern: Pattern, text: str) -> str:
    if _joined_by_hyphens(pattern) and not re.search(r"[_\s]", text):
        text = text.replace("-", " ")
    return prompt_of_folder(text)


def _joined_by_hyphens(pattern: Pattern) -> bool:
    """Whether hyphens stand for spaces: they do where they alone part the prompt from the rest."""
    for segment in pattern.segments:
        if Field("prompt") in segment:
            literals = [part.text for part in segment if isinstance(part, Literal)]
            return bool(literals) and all(text == "-" for text in literals)
    return False


def _texts(pattern: Pattern, found: tuple[str, ...], known: Known) -> dict[str, str] | None:
    if len(found) < len(pattern.segments):
        return None
    texts: dict[str, str] = {}
    for parts, segment in zip(pattern.segments, found[-len(pattern.segments) :], strict=True):
        read = _best_match(parts, segment, texts, known)
        if read is None:
            return None
        texts = {**read, **texts}
    return texts


def _best_match(parts: tuple[Part, ...], text: str, bound: Texts, known: Known) -> dict[str, str] | None:
    """The way in which a segment can be read that has the most known names."""
    present = [name for name in ("generator", "prompt") if Field(name) in parts and known.of(name)]
    ways = [present, *([name] for name in present), []] if len(present) > 1 else [present, []]
    if len(parts) == 1:
        ways = [[]]
    elif len(text) > LONGEST_SEGMENT:
        return None
    for names in ways:
        read = _match(parts, text, bound, [(name, known.of(name)) for name in names])
        if read is not None:
            return read
    return None


def _match(
    parts: tuple[Part, ...], text: str, bound: Texts, only: list[tuple[str, AbstractSet[str]]] | tuple[()]
) -> dict[str, str] | None:
    """The fields of a segment, or None. Each place is tried once per part, so no name takes long."""
    dead: set[tuple[int, int]] = set()
    allowed = dict(only)

    def walk(index: int, at: int) -> dict[str, str] | None:
        if index == len(parts):
            return {} if at == len(text) else None
        if (index, at) in dead:
            return None
        part = parts[index]
        for end in _ends(parts, index, text, at):
            if isinstance(part, Literal) or part.name == ANYTHING:
                rest = walk(index + 1, end)
            elif _fits(part.name, text[at:end], bound, allowed):
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
    """Where a part that begins at `at` may end, the likeliest first."""
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
        # As much as possible: the number is the last one of the name.
        yield from range(len(text), at - 1, -1)
    elif part.name == "prompt" and Field("generator") in parts[index:]:
        yield from range(len(text), at, -1)
    else:
        yield from range(at + 1, len(text) + 1)


def _fits(name: str, text: str, bound: Texts, allowed: Mapping[str, AbstractSet[str]]) -> bool:
    if name == "number":
        return name not in bound or whole_number(text) == whole_number(bound[name])
    normal = _normal(text)
    if not normal or (name in bound and _normal(bound[name]) != normal):
        return False
    return name not in allowed or normal in allowed[name]
