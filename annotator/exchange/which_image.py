"""Answer which image a row of a table means: for every reader, by the same rules.

A row may give a SHA-256, a path, generator, prompt and number, and an Image Id; what it gives must agree.
Paths are compared part by part from the end, and the longest match decides. A path that contradicts the only
image with its file name names no image: ratings of `midjourney/waving/k_01.png` are not those of
`sdxl/waving/k_01.png`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, Generic, NamedTuple, TypeVar

from django.db.models.fields.json import KeyTextTransform

from annotator.database.slices import slices
from annotator.database.transactions import write_transaction
from annotator.exchange.formats.image_tables import NAMES
from annotator.exchange.formats.names import normal_form, normalised, parted_number, whole_number
from annotator.models import Annotation, Image, Project
from annotator.models.images import composed_id

FILE, SHA256, IMAGE_ID, GENERATOR, PROMPT, NUMBER = NAMES
SHOWN: Final = 120
_LISTED: Final = 4
_STORED_AT_ONCE: Final = 500
_SEVERAL: Final = "“{path}” matches {count} images ({listed}): give generator, prompt and number"
_OTHER_COLUMNS: Final = (
    "“{path}” is the file of {listed}, which contradicts generator, prompt or number: correct one of them"
)
_OTHER_FOLDER: Final = "there is no image “{path}”; {listed} {has} the same name: correct the path"
_UNKNOWN: Final = "there is no image “{path}”: import it, or correct the path"
_OTHER_CONTENT: Final = "the SHA-256 is that of “{listed}”: correct the {column} or the SHA-256"
_NO_CONTENT: Final = "there is no image with this SHA-256: import it, or remove the row"
_NO_ID: Final = "there is no image with this Image Id: import it, or correct the Image Id"
_OTHER_ID: Final = "Image Id and {others} name different images"
_INCOMPLETE: Final = "the {column} is missing: generator, prompt and number name an image together"
_NO_NAME: Final = "names no image: give its file, its SHA-256, its Image Id, or generator, prompt and number"

Parts = tuple[str, ...]
Thing = TypeVar("Thing")
_IdKey = tuple[str, int | None]


class Naming(NamedTuple):
    """What a row says about its image; empty, or no number, where it says nothing."""

    sha256: str = ""
    path: str = ""
    generator: str = ""
    prompt: str = ""
    number: int | None = None
    image_id: str = ""


class KnownImage(NamedTuple):
    """An image of the project."""

    pk: int
    sha256: str
    generator: str
    prompt: str
    number: int | None
    source_name: str

    def contradicted(self, naming: Naming) -> str:
        """Return the first of generator, prompt and number that is given and not the image's; else empty."""
        if naming.generator and normal_form(naming.generator) != normal_form(self.generator):
            return GENERATOR
        if naming.prompt and normal_form(naming.prompt) != normal_form(self.prompt):
            return PROMPT
        return NUMBER if naming.number is not None and naming.number != self.number else ""


class NoSuchImage(ValueError):
    """A row that names no single image: `column` is at fault; `is_unknown` if the project has no such one."""

    def __init__(self, column: str, text: str, reason: str, *, is_unknown: bool = False) -> None:
        super().__init__(reason)
        self.column = column
        self.text = text[:SHOWN]
        self.reason = reason
        self.is_unknown = is_unknown


class PathMatch(NamedTuple, Generic[Thing]):
    """The things whose path matches longest, and, if none does, those that contradict it most closely."""

    agreeing: list[Thing]
    contradicting: list[Thing]


class PathIndex(Generic[Thing]):
    """Things by the parts of their paths, without the one folder that holds them all.

    `kept` are the normal forms of names that mean more than where files lie, such as generators: a folder of
    this name is not left out; None: no folder is.
    """

    def __init__(self, things: Iterable[tuple[str, Thing]], *, kept: frozenset[str] | None = None) -> None:
        named = [(path_parts(path), thing) for path, thing in things]
        roots = {parts[0] for parts, _ in named if len(parts) > 1}
        shared = len(roots) == 1 and all(len(parts) > 1 for parts, _ in named)
        below = int(shared and kept is not None and normal_form(roots.pop()) not in kept)
        self._by_name: dict[str, list[tuple[Parts, Thing]]] = defaultdict(list)
        for parts, thing in named:
            self._by_name[parts[-1]].append((parts[below:], thing))

    def matches(self, path: str) -> PathMatch[Thing]:
        """Return what has the longest match with a path."""
        parts = path_parts(path)
        depths = [
            (_depth(parts, theirs), len(theirs), thing) for theirs, thing in self._by_name.get(parts[-1], [])
        ]
        deepest = max((depth for depth, _, _ in depths), default=0)
        longest = [(length, thing) for depth, length, thing in depths if depth == deepest]
        agreeing = [thing for length, thing in longest if deepest in (len(parts), length)]
        return PathMatch(agreeing, [] if agreeing else [thing for _, thing in longest])


class ImageIndex:
    """The images of a project by everything that can name one."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.images = project.images.all()
        self._images: list[KnownImage] = []
        self._by_key: dict[tuple[str, str, int], KnownImage] = {}
        self._by_content: dict[str, KnownImage] = {}
        rows = self.images.order_by("pk").values_list(
            *("pk", "sha256", "generator", "prompt", "number", "source_name")
        )
        for image in (KnownImage(*row) for row in rows.iterator(chunk_size=5000)):
            self._images.append(image)
            if image.number is not None:
                key = (normal_form(image.generator), normal_form(image.prompt), image.number)
                self._by_key[key] = image
            self._by_content[image.sha256] = image
        self._generators = {normal_form(image.generator) for image in self._images}
        self._prompts = {normal_form(image.prompt) for image in self._images}

    @cached_property
    def _paths(self) -> PathIndex[KnownImage]:
        named = ((image.source_name, image) for image in self._images)
        kept = frozenset(self._generators | self._prompts)
        return PathIndex(named, kept=kept)

    @cached_property
    def _by_id(self) -> Mapping[_IdKey, KnownImage]:
        ids = image_ids(self._project)
        return {_id_key(ids[image.pk]): image for image in self._images if image.pk in ids}

    def image_of(self, naming: Naming) -> KnownImage:
        """Return the image that everything a row says agrees on. Raises NoSuchImage."""
        if naming.sha256:
            return self._of_content(naming)
        if naming.path:
            return self._of_path(naming)
        named = self._by_id.get(_id_key(naming.image_id)) if naming.image_id else None
        if naming.generator and naming.prompt and naming.number is not None:
            image = self._of_columns(naming)
            if named is not None and named != image:
                others = "generator, prompt and number"
                raise NoSuchImage(IMAGE_ID, naming.image_id, _OTHER_ID.format(others=others))
            return image
        if not naming.image_id:
            given = ((GENERATOR, naming.generator), (PROMPT, naming.prompt), (NUMBER, naming.number))
            missing = [column for column, value in given if value in ("", None)]
            if len(missing) == len(given):
                raise NoSuchImage(FILE, "", _NO_NAME)
            raise NoSuchImage(missing[0], "", _INCOMPLETE.format(column=missing[0]))
        if named is None:
            raise NoSuchImage(IMAGE_ID, naming.image_id, _NO_ID, is_unknown=True)
        if named.contradicted(naming):
            others = "generator, prompt or number"
            raise NoSuchImage(IMAGE_ID, naming.image_id, _OTHER_ID.format(others=others))
        return named

    def _of_content(self, naming: Naming) -> KnownImage:
        image = self._by_content.get(naming.sha256.lower())
        if image is None:
            raise NoSuchImage(SHA256, naming.sha256, _NO_CONTENT, is_unknown=True)
        other = image.contradicted(naming)
        if naming.path and image not in self._paths.matches(naming.path).agreeing:
            other = FILE
        elif self._is_id_of_another(naming, image):
            other = IMAGE_ID
        if other:
            listed = image.source_name[:SHOWN]
            raise NoSuchImage(SHA256, naming.sha256, _OTHER_CONTENT.format(listed=listed, column=other))
        return image

    def _of_path(self, naming: Naming) -> KnownImage:
        agreeing, contradicting = self._paths.matches(naming.path)
        if not agreeing:
            raise _refused_path(naming, _OTHER_FOLDER if contradicting else _UNKNOWN, contradicting)
        fitting = [image for image in agreeing if not image.contradicted(naming)]
        if not fitting:
            raise _refused_path(naming, _OTHER_COLUMNS, agreeing)
        own = [image for image in fitting if not self._is_id_of_another(naming, image)]
        if not own:
            raise NoSuchImage(IMAGE_ID, naming.image_id, _OTHER_ID.format(others=FILE))
        if len(own) > 1:
            raise _refused_path(naming, _SEVERAL, own)
        return own[0]

    def _of_columns(self, naming: Naming) -> KnownImage:
        assert naming.number is not None  # as the caller has checked
        generator, prompt = normal_form(naming.generator), normal_form(naming.prompt)
        image = self._by_key.get((generator, prompt, naming.number))
        if image is not None:
            return image
        if generator not in self._generators:
            column, text, reason = GENERATOR, naming.generator, f"of generator “{naming.generator}”"
        elif prompt not in self._prompts:
            column, text, reason = PROMPT, naming.prompt, f"of prompt “{naming.prompt}”"
        else:
            column, text = NUMBER, str(naming.number)
            reason = f"{naming.number} of “{naming.generator}”, “{naming.prompt}”"
        raise NoSuchImage(column, text, f"there is no image {reason}", is_unknown=True)

    def _is_id_of_another(self, naming: Naming, image: KnownImage) -> bool:
        # An Image Id that the project does not know is the author's own and says nothing here.
        return bool(naming.image_id) and self._by_id.get(_id_key(naming.image_id), image) != image


def naming_of(values: Mapping[str, str]) -> Naming:
    """Return what the texts of NAMES say about an image. Raises NoSuchImage for a number that is none."""
    texts = {name: values.get(name, "").strip() for name in NAMES}
    number = whole_number(texts[NUMBER])
    if texts[NUMBER] and number is None:
        shown = texts[NUMBER][:40]
        raise NoSuchImage(NUMBER, shown, f"number “{shown}” is not a whole number")
    return Naming(
        texts[SHA256], texts[FILE], texts[GENERATOR], texts[PROMPT], number, image_id=texts[IMAGE_ID]
    )


def path_parts(path: str) -> Parts:
    r"""Return the parts of a path in the form in which they are compared; at least one.

    The form is Unicode NFC with `/` for `\`, and with the letter case of the extension folded.
    """
    named = normalised("NFC", path).replace("\\", "/")
    *folders, last = [part for part in named.split("/") if part.strip() not in ("", ".")] or [""]
    stem, dot, ending = last.rpartition(".")
    return (*folders, f"{stem}{dot}{ending.casefold()}" if stem else last)


def _depth(first: Parts, second: Parts) -> int:
    """Return the number of parts, from the end, in which two paths agree."""
    depth = 0
    for ours, theirs in zip(reversed(first), reversed(second), strict=False):
        if ours != theirs:
            break
        depth += 1
    return depth


def _id_key(image_id: str) -> _IdKey:
    """Return the form in which Image Ids are compared: `a_b_01` and `A b 1` are equal."""
    name, number = parted_number(image_id)
    return normal_form(name), number


def _refused_path(naming: Naming, reason: str, images: list[KnownImage]) -> NoSuchImage:
    names = [image.source_name for image in images[:_LISTED]]
    listed = ", ".join([*names, *(["…"] if len(images) > _LISTED else [])])
    path = naming.path[:SHOWN]
    has = "has" if len(images) == 1 else "have"
    told = reason.format(path=path, count=len(images), listed=listed, has=has)
    return NoSuchImage(FILE, path, told, is_unknown=reason == _UNKNOWN)


def image_ids(project: Project) -> dict[int, str]:
    """Return the Image Ids by the primary keys of the project's images.

    An Id is the one that annotations were imported with, if they agree on one that no other image has; else
    it is composed of generator, prompt and number, and its later owners get `-2`, `-3` and so on.
    """
    imported = _imported_ids(project)
    ids: dict[int, str] = {}
    images = Image.objects.filter(project=project).order_by("pk")
    rows = images.values_list("pk", "generator", "prompt", "number", "source_name")
    for pk, generator, prompt, number, file_name in rows.iterator(chunk_size=5000):
        ids[pk] = imported.get(pk) or composed_id(generator, prompt, number, file_name)
    times = Counter(ids.values())
    taken = {image_id for image_id, count in times.items() if count == 1}
    copies: Counter[str] = Counter()
    for pk, image_id in ids.items():
        if times[image_id] == 1:
            continue
        ids[pk] = image_id
        while ids[pk] in taken:
            copies[image_id] += 1
            ids[pk] = f"{image_id}-{copies[image_id] + 1}"
        taken.add(ids[pk])
    return ids


def store_image_ids(project: Project) -> None:
    """Store the Image Ids that have changed with their images: call it in a worker that has added some."""
    ids = image_ids(project)
    stored = Image.objects.filter(project=project).order_by("pk").values_list("pk", "unique_id")
    changed = [
        pk for pk, unique_id in stored.iterator(chunk_size=5000) if ids.get(pk, unique_id) != unique_id
    ]
    for pks in slices(changed, _STORED_AT_ONCE):
        with write_transaction():
            images = [Image(pk=pk, unique_id=ids[pk]) for pk in pks]
            Image.objects.bulk_update(images, ["unique_id"])


def _imported_ids(project: Project) -> dict[int, str]:
    """Return the Ids that all imported annotations of one image, and those of no other, were given with."""
    rows = Annotation.objects.filter(assignment__image__project=project, source__image_id__gt="")
    pairs = (
        rows.order_by().values_list("assignment__image_id", KeyTextTransform("image_id", "source")).distinct()
    )
    ids_of: dict[int, set[str]] = defaultdict(set)
    times: Counter[str] = Counter()
    for image, image_id in pairs:
        ids_of[image].add(image_id)
        times[image_id] += 1
    return {
        image: image_id
        for image, ids in ids_of.items()
        if len(ids) == 1 and times[image_id := next(iter(ids))] == 1
    }
