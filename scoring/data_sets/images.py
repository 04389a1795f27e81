"""One image of a data set: where it comes from, its score, and why it may have none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Final

from scoring.data_sets.preference_pairs import Scored
from scoring.data_sets.splits import Split, Splitting

EXCLUDED: Final = "excluded"
NOT_RATED: Final = "not_rated"


@dataclass(frozen=True, slots=True)
class DataImage:
    """An image: `key` is the SHA-256 of its file.

    `score` is None for the reason `without`: EXCLUDED by the filters (`reasons`), NOT_RATED, or what the
    protocol's outcome says. `rated` is the score by ratings, also of a real image, whose score is fixed.
    `votes` are the reasons for which people called it invalid.
    """

    key: str
    generator: str
    prompt: str
    number: int | None
    real: bool
    score: Fraction | None
    without: str = ""
    reasons: tuple[str, ...] = ()
    rated: Fraction | None = None
    raters: int = 0
    votes: tuple[str, ...] = ()
    name: str = ""
    action: str = ""
    corrected_from: str = ""


# What an image can be named by, the surest first: folders may hold files of the same name.
NAMES: Final[tuple[Callable[[DataImage], str], ...]] = (
    lambda image: image.key,
    lambda image: image.name,
    lambda image: image.name.rpartition("/")[2],
)


def scored(images: Iterable[DataImage]) -> Iterator[Scored]:
    """Yield the images with a score, as pairs need them."""
    for image in images:
        if image.score is not None:
            yield Scored(image.key, image.prompt, image.score)


def splits_of(images: Iterable[DataImage], splitting: Splitting) -> dict[str, Split]:
    """Return the splits of the prompts of images with a score."""
    prompts = {image.prompt for image in images if image.score is not None}
    return {prompt: splitting.split_of(prompt) for prompt in prompts}


def corrected_pairs(images: Iterable[DataImage]) -> Counter[str]:
    """Compare each image that names another in `corrected_from`, by SHA-256 or file name, with that one.

    Return how many score *higher*, the *same* or *lower*. *unscored*: one of the two has no score; *unknown*:
    the original is not among the images, or several have the name that is given.
    """
    listed = list(images)
    known = [_by(name_of, listed) for name_of in NAMES]
    counts: Counter[str] = Counter()
    for image in listed:
        if not image.corrected_from:
            continue
        original = _original_of(image, known)
        if original is None:
            counts["unknown"] += 1
        elif image.score is None or original.score is None:
            counts["unscored"] += 1
        else:
            away = image.score - original.score
            counts["higher" if away > 0 else "lower" if away < 0 else "same"] += 1
    return counts


def _by(name_of: Callable[[DataImage], str], images: Iterable[DataImage]) -> Mapping[str, list[DataImage]]:
    groups = defaultdict(list)
    for image in images:
        groups[name_of(image)].append(image)
    return groups


def _original_of(image: DataImage, known: Sequence[Mapping[str, list[DataImage]]]) -> DataImage | None:
    """Return the one image that another names, never itself; None without one, or if several fit."""
    for by_name in known:
        others = (other for other in by_name.get(image.corrected_from, ()) if other is not image)
        if originals := list(islice(others, 2)):
            return originals[0] if len(originals) == 1 else None
    return None
