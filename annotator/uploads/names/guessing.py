"""Guess the pattern of file names: try all usual layouts and rank them by how much they read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Final, TypeAlias

from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.published import PROMPT_GROUPS
from annotator.uploads.names.naming import (
    ANYTHING,
    Field,
    KnownNames,
    Literal,
    Named,
    Pattern,
    parse_pattern,
    read_name,
    segments_of,
)

_GENERATORS: Final = (
    "AuraFlow, CogView, CogView 3, CogView 4, DALL-E, DALL-E 2, DALL-E 3, DeepFloyd, DeepFloyd IF, Emu, "
    "Firefly, Adobe Firefly, Firefly 2, Firefly 3, Flux, Flux.1, Flux dev, Flux pro, Flux schnell, "
    "Flux.1 dev, Flux.1 pro, Flux.1 schnell, Gemini, GPT-4o, GPT image, GPT image 1, Hunyuan, HunyuanDiT, "
    "Ideogram, Ideogram 2, Ideogram 3, Imagen, Imagen 2, Imagen 3, Imagen 4, Kandinsky, Kandinsky 2, "
    "Kandinsky 3, Kolors, Leonardo, Midjourney, Midjourney v4, Midjourney v5, Midjourney v5.2, "
    "Midjourney v6, Midjourney v6.1, Midjourney v7, MJ, MJ v5, MJ v6, MJ v7, PixArt, PixArt alpha, "
    "PixArt sigma, Playground, Playground v2, Playground v2.5, Qwen image, Recraft, Recraft v3, Sana, SD, "
    "SD 1.4, SD 1.5, SD v1.5, SD 2, SD 2.1, SD v2.1, SD 3, SD 3.5, SDXL, SDXL 1.0, SDXL turbo, "
    "SDXL lightning, Seedream, Stable Cascade, Stable Diffusion, Stable Diffusion 1.4, "
    "Stable Diffusion 1.5, Stable Diffusion v1.5, Stable Diffusion 2, Stable Diffusion 2.1, "
    "Stable Diffusion 3, Stable Diffusion 3.5, Stable Diffusion XL, Würstchen"
)
GENERATORS: Final = frozenset(normal_form(name) for name in _GENERATORS.split(", "))
COMMON: Final = KnownNames(GENERATORS, frozenset(PROMPT_GROUPS))

_CONTAINERS: Final = (
    "images, image, img, imgs, pictures, picture, pics, photos, photo, files, data, dataset, output, "
    "outputs, out, results, result, generated, generations, samples, sample, export, upload, uploads, "
    "download, downloads, png, jpg, jpeg, webp, final, new, ai, seed, frame, copy, batch, part, "
    "bilder, bild, fotos, imagenes, imágenes, untitled, screenshot, comfyui"
)
# Folder names without meaning.
CONTAINERS: Final = frozenset(normal_form(name) for name in _CONTAINERS.split(", "))

_GROUPS: Final = "individual, individuals, single, singles, pair, pairs, group, groups, crowd, crowds"
GROUPS: Final = frozenset(normal_form(name) for name in _GROUPS.split(", "))


SAMPLE: Final = 120
"""Size of the evenly spaced sample of names, at most twice this."""

_LEVELS: Final = 4
# Try all layouts on a few names, and the most likely ones on the whole sample.
_FIRST_LOOK: Final = 24
_SECOND_LOOK: Final = 24
_SEPARATORS: Final = ("_", "-", " - ", " ", "__", "--", ".")
_ANYTHING: Final = "{*}"
# Digits in a random name are not a number.
_RANDOM: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{12,}")


Shape: TypeAlias = tuple[str, tuple[str, ...]]
"""A name with its folders and file name."""


def guess_patterns(names: Iterable[str], known: KnownNames = COMMON, most: int = 5) -> list[str]:
    """Return the patterns that match the names, best first; empty if none matches a quarter of them.

    The score counts the fields read per name, then the plausibility of generators and prompts. Two files in
    one place reduce it.
    """
    shapes = [(name, segments_of(name)) for name in _sampled(names)]
    if not shapes:
        return []
    depth = Counter(len(segments) - 1 for _, segments in shapes).most_common(1)[0][0]
    texts = list(dict.fromkeys(_candidates(shapes, min(depth, _LEVELS))))
    likely = _ranked(texts, shapes[:: max(1, len(shapes) // _FIRST_LOOK)], known)[:_SECOND_LOOK]
    best = _ranked(sorted(likely, key=texts.index), shapes, known)[:most]
    return list(dict.fromkeys(_with_group(text, shapes) for text in best))


def _ranked(texts: Sequence[str], shapes: Sequence[Shape], known: KnownNames) -> list[str]:
    """Return the patterns that read a quarter of the names, best first; ties keep their order."""
    scores = {text: _score(parse_pattern(text), shapes, known) for text in texts}
    return sorted((text for text in texts if scores[text] > 0), key=lambda text: -scores[text])


def _sampled(names: Iterable[str]) -> list[str]:
    """Return at most 2 × SAMPLE evenly spaced names, in constant memory."""
    kept: list[str] = []
    stride = 1
    for place, name in enumerate(names):
        if place % stride == 0:
            kept.append(name)
        if len(kept) > 2 * SAMPLE:
            kept, stride = kept[::2], stride * 2
    return kept


def _candidates(shapes: Sequence[Shape], levels: int) -> Iterator[str]:
    separators = [
        separator
        for separator in _SEPARATORS
        if 2 * sum(separator in segments[-1] for _, segments in shapes) >= len(shapes)
    ]
    for count in (2, 1, 0):
        for fields in permutations(("generator", "prompt"), count):
            for places in _places(levels, count):
                folders = _folders(levels, dict(zip(places, fields, strict=True)))
                for file in _file_names(fields, separators):
                    yield "/".join([*folders, file])


def _places(levels: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield the folders that could hold `count` fields, in path order, those next to the file first."""
    if count == 0:
        yield ()
    elif count == 1:
        yield from ((level,) for level in reversed(range(levels)))
    else:
        yield from ((upper, lower) for lower in reversed(range(levels)) for upper in reversed(range(lower)))


def _folders(levels: int, fields: dict[int, str]) -> list[str]:
    named = [f"{{{fields[level]}}}" if level in fields else _ANYTHING for level in range(levels)]
    # Folders above the first field are ignored.
    return named[min(fields) :] if fields else []


def _file_names(in_folders: tuple[str, ...], separators: Sequence[str]) -> Iterator[str]:
    missing = [name for name in ("generator", "prompt") if name not in in_folders]
    if not missing:
        yield from ("{number}", "{*}{number}", "{*}({number})")
        yield from ("{*}{number}_{*}", "{*}{number}-{*}", "{*}{number}{*}", "{*}")
        missing_sets: list[tuple[str, ...]] = []
    else:
        missing_sets = [*permutations(missing)]
    if len(missing) == 1:
        # The folder's name repeated before the rest.
        missing_sets += [(in_folders[0], missing[0]), (missing[0], in_folders[0])]
        yield "{number}"
    if len(missing) == 2:
        missing_sets.append(("prompt",))
    for fields in missing_sets:
        yield from _joined([f"{{{name}}}" for name in fields], separators)


def _joined(fields: Sequence[str], separators: Sequence[str]) -> Iterator[str]:
    single = fields[0]
    if len(fields) == 1:
        yield from (f"{single}{{number}}", f"{single} ({{number}})", f"{single}({{number}})", single)
    for separator in separators:
        text = separator.join(fields)
        yield f"{text}{separator}{{number}}"
        yield f"{{number}}{separator}{text}"
        if len(fields) > 1:
            yield from (f"{text} ({{number}})", f"{text}({{number}})", f"{text}{{number}}", text)
        yield f"{text}{separator}{{*}}{{number}}"


def _score(pattern: Pattern, shapes: Sequence[Shape], known: KnownNames) -> float:
    """Return the fields read per name, at most 3, adjusted by plausibility; 0 if too few."""
    read = [(read_name(pattern, name, known), segments) for name, segments in shapes]
    named = [(each, segments) for each, segments in read if each is not None]
    if 4 * len(named) < len(shapes):
        return 0
    places = Counter(_place(each) for each, _ in named)
    total = 0.0
    for each, segments in named:
        counts = each.number is not None and places[_place(each)] == 1
        counts = counts and not _RANDOM.search(segments[-1].casefold())
        total += _says(each.generator) + _says(each.prompt) + counts + _likelihood(each, known)
    score = total / len(shapes) + _build(pattern)
    score -= 0.4 * _passed_over(pattern, [segments for _, segments in shapes])
    return score - _strangeness([each for each, _ in named], known)


def _build(pattern: Pattern) -> float:
    """Return a small bonus for exact and short patterns."""
    parts = [part for segment in pattern.segments for part in segment]
    literals = sum(len(part.text) for part in parts if isinstance(part, Literal))
    wild = sum(part == Field(ANYTHING) for part in parts)
    return 0.01 * literals - 0.02 * (len(parts) - literals) - 0.05 * wild


def _strangeness(named: Sequence[Named], known: KnownNames) -> float:
    """Return a penalty for implausible generators and prompts."""
    pairs = {(normal_form(each.generator), normal_form(each.prompt)) for each in named}
    generators, prompts = {generator for generator, _ in pairs}, {prompt for _, prompt in pairs}
    # A single field is the prompt.
    strange = 0.3 * (len(generators) > len(prompts) > 1 or prompts == {""})
    # Generators share prompts; words of a sentence do not.
    alike = len(generators) > 1 and len(prompts) > 1 and len(pairs) == len(generators)
    if alike and not generators & known.generators:
        strange += 1.2
    return strange


def _place(named: Named) -> tuple[str, str, int | None]:
    return normal_form(named.generator), normal_form(named.prompt), named.number


def _says(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _likelihood(named: Named, known: KnownNames) -> float:
    generator, prompt = normal_form(named.generator), normal_form(named.prompt)
    credit = 0.6 * (generator in known.generators) + 0.5 * (prompt in known.prompts)
    credit -= 0.8 * ((generator in CONTAINERS) + (prompt in CONTAINERS) + (prompt in known.generators))
    credit -= 0.4 * (generator in GROUPS) + 0.4 * (prompt in GROUPS)
    if generator and prompt and (generator in prompt or prompt in generator):
        credit -= 0.5
    # A number left in the text.
    credit -= 0.2 * bool(re.search(r"[0-9]\Z", prompt))
    return credit


def _passed_over(pattern: Pattern, found: Sequence[tuple[str, ...]]) -> int:
    """Return the number of varying folders that are not read."""
    passed = 0
    for level in range(2, _LEVELS + 2):
        parts = pattern.segments[-level] if level <= len(pattern.segments) else ()
        if parts and parts != (Field(ANYTHING),):
            continue
        values = {segments[-level] for segments in found if len(segments) >= level}
        passed += len(values) > 1
    return passed


def _with_group(text: str, shapes: Sequence[Shape]) -> str:
    """Return the pattern with `{prompt_group}` for a folder with group names."""
    segments = text.split("/")
    for level in range(2, _LEVELS + 2):
        values = {normal_form(found[-level]) for _, found in shapes if len(found) >= level}
        if not values or not values <= GROUPS:
            continue
        if level <= len(segments) and segments[-level] == _ANYTHING:
            segments[-level] = "{prompt_group}"
        elif level > len(segments):
            filler = [_ANYTHING] * (level - len(segments) - 1)
            segments = ["{prompt_group}", *filler, *segments]
    return "/".join(segments)
