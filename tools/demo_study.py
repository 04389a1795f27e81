"""Write the demo study, drawn images and simulated annotations, in the layout of a published study.

`python -m tools.demo_study` writes `annotator/demo/data`, which `make demo` imports.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from scoring.grid.notation import format_cell
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS
from tools.painter.chance import Chance
from tools.painter.faces import face_boxes
from tools.painter.planting import Deck, Truth, draw_severities, plant
from tools.painter.scenes import (
    GENERATORS,
    PROMPTS,
    RATED_PROMPTS,
    Generator,
    Prompt,
    Scene,
    build_scene,
    draw_scene,
)
from tools.realism_ratings import COLUMNS, ratings_of
from tools.simulation import ANNOTATORS, SimulatedAnnotator, annotate

TARGET: Final = Path(__file__).resolve().parents[1] / "annotator" / "demo" / "data"
QUALITY: Final = 90
SEED: Final = 7
REALISM: Final = "realism.csv"
FACES: Final = "faces.csv"
DETECTIONS: Final = "detections.csv"
LEAST_SURE: Final = 0.975
"""The lowest confidence of the simulated detector; chance alone decides, so that the true order stays."""
Format = Literal["WEBP", "PNG"]
NUMBERS = (1, 2, 3, 4, 5)
RATED: Final = "realism"
"""The folder of figures that are rated only, so that statistics over prompts have enough of them."""
RATED_NUMBERS = (1, 2, 3)
REAL: Final = "real"
"""The folder of a second study: figures without errors, which stand for real images."""
CAMERA: Final = replace(GENERATORS[0], name="camera")
REAL_NUMBERS = (1, 2)
UNLABELLED_NUMBER = 5  # left to whoever tries the demo
PAIRS = ((0, 1), (2, 3))  # who shares images with whom, as positions in ANNOTATORS
TRUTH_COLUMNS = ("file", "generator", "prompt", "number", "cell", "severity", "affected", "total", "person",
                 "error", "x", "y")  # fmt: skip


@dataclass(frozen=True)
class DemoImage:
    """One picture: its file below the study folder, what it shows, its truth and who annotated it."""

    file: str
    generator: str
    prompt: str
    prompt_group: str
    number: int
    scene: Scene
    truth: Truth
    annotators: tuple[str, ...]


@dataclass(frozen=True)
class DemoStudy:
    """What was written; `annotations` counts the rows of data/annotations.csv."""

    folder: Path
    images: tuple[DemoImage, ...]
    annotations: int

    @property
    def unlabelled(self) -> tuple[DemoImage, ...]:
        """The images nobody has annotated."""
        return tuple(image for image in self.images if not image.annotators)

    @property
    def shared(self) -> tuple[DemoImage, ...]:
        """The images two annotators have annotated."""
        return tuple(image for image in self.images if len(image.annotators) > 1)


def write_demo_study(folder: Path, *, seed: int = SEED, form: Format = "WEBP") -> DemoStudy:
    """Draw the demo study into a folder, which is created; files of the same name are replaced.

    Write images/GENERATOR/PROMPT/FILE, data/annotations.csv, data/prompt_groups.csv, data/truth.csv, and of
    another project with some of these images realism.csv, the ratings, faces.csv, where the faces are, and
    detections.csv, what a simulated detector says of them, realism/images, figures of that project alone, and
    real/images, figures without errors.
    The same seed gives the same bytes with the same Pillow. Raises OSError if the folder cannot be written.
    """
    images = plan_demo_study(seed=seed, form=form)
    rated = (*images, *plan_rated_images(seed=seed, form=form))
    seen = (*rated, *real_pictures(seed=seed, form=form))
    for image in seen:
        path = folder / image.file
        path.parent.mkdir(parents=True, exist_ok=True)
        draw_scene(image.scene).save(path, form, quality=QUALITY, method=6)
    rows = list(_annotation_rows(images, seed))
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    _write(data / "annotations.csv", SHEET_COLUMNS, rows)
    _write(
        data / "prompt_groups.csv", ("prompt", "group"), [(prompt.text, prompt.group) for prompt in PROMPTS]
    )
    _write(data / "truth.csv", TRUTH_COLUMNS, _truth_rows(images))
    _write(folder / REALISM, COLUMNS, _realism_rows(rated, seed))
    _write(folder / FACES, ("file", "x", "y", "w", "h"), _face_rows(seen))
    columns = ("file", "persons", "classes", "person_confidence", "moderation")
    _write(folder / DETECTIONS, columns, _detection_rows(rated, seed))
    return DemoStudy(folder, images, len(rows))


def plan_demo_study(*, seed: int = SEED, form: Format = "WEBP") -> tuple[DemoImage, ...]:
    """Return the images of the study with their truth, without drawing them."""
    images: list[DemoImage] = []
    for g, generator in enumerate(GENERATORS):
        deck = Deck(f"deck/{seed}/{generator.name}")
        for p, prompt in enumerate(PROMPTS):
            images += [
                _image(generator, prompt, number, deck, seed, _coders(g, p, number), form)
                for number in NUMBERS
            ]
    return tuple(images)


def plan_rated_images(*, seed: int = SEED, form: Format = "WEBP") -> tuple[DemoImage, ...]:
    """Return the images that only the project of realism has, without drawing them."""
    images: list[DemoImage] = []
    for generator in GENERATORS:
        deck = Deck(f"deck/{seed}/{RATED}/{generator.name}")
        for prompt in RATED_PROMPTS:
            planned = [_image(generator, prompt, number, deck, seed, (), form) for number in RATED_NUMBERS]
            images += [replace(image, file=f"{RATED}/{image.file}") for image in planned]
    return tuple(images)


def real_pictures(*, seed: int = SEED, form: Format = "WEBP") -> tuple[DemoImage, ...]:
    """Return the figures without errors, of the prompts with one person, without drawing them."""
    prompts = [prompt for prompt in PROMPTS if prompt.group == "individual"]
    found = []
    for prompt in prompts:
        for number in REAL_NUMBERS:
            scene = build_scene(CAMERA, prompt, number, seed=seed)
            truth = plant(scene, Deck(REAL), [], Chance(REAL))[1]
            file = f"{REAL}/{_file(CAMERA, prompt, number, form)}"
            found.append(DemoImage(file, CAMERA.name, prompt.text, prompt.group, number, scene, truth, ()))
    return tuple(found)


def _file(generator: Generator, prompt: Prompt, number: int, form: Format) -> str:
    place = prompt.text.replace(" ", "_")
    return f"images/{generator.name}/{place}/{generator.name}_{place}_{number:02d}.{form.lower()}"


def _image(
    generator: Generator,
    prompt: Prompt,
    number: int,
    deck: Deck,
    seed: int,
    coders: Sequence[int],
    form: Format,
) -> DemoImage:
    chance = Chance(f"errors/{seed}/{generator.name}/{prompt.text}/{number}")
    scene = build_scene(generator, prompt, number, seed=seed)
    scene, truth = plant(scene, deck, draw_severities(generator, len(scene.figures), chance), chance)
    codes = tuple(ANNOTATORS[coder].code for coder in coders)
    file = _file(generator, prompt, number, form)
    return DemoImage(file, generator.name, prompt.text, prompt.group, number, scene, truth, codes)


def _coders(generator: int, prompt: int, number: int) -> tuple[int, ...]:
    """Return who annotates an image: per generator every annotator has three alone, and two in a pair.

    Of the four labelled numbers of a generator and prompt one is shared by a pair (12 of 48 images,
    25%); the other three go to three of the four annotators, leaving out another one each prompt.
    """
    if number == UNLABELLED_NUMBER:
        return ()
    turn = (number - 1 + generator + prompt) % 4
    if turn == 0:
        return PAIRS[(generator + prompt) % 2]
    return ((prompt + turn) % 4,)


def _annotation_rows(images: Sequence[DemoImage], seed: int) -> Iterable[tuple[str, ...]]:
    for annotator in ANNOTATORS:
        own = [image for image in images if annotator.code in image.annotators]
        for image in Chance(f"order/{seed}/{annotator.code}").shuffled(own):
            yield _annotation_row(image, annotator, seed)


def _annotation_row(image: DemoImage, annotator: SimulatedAnnotator, seed: int) -> tuple[str, ...]:
    image_id = f"{image.generator}_{image.prompt}_{image.number:02d}"
    terms = annotate(image.truth, annotator, Chance(f"annotation/{seed}/{annotator.code}/{image_id}"))
    cells = (format_cell(terms.get(cell.key, ())) for cell in CELLS)
    return (image_id, image.generator, image.prompt, str(image.number), *cells, annotator.code)


def _truth_rows(images: Iterable[DemoImage]) -> Iterable[tuple[str, ...]]:
    for image in images:
        for error in image.truth.errors:
            total = image.truth.total(error.cell)
            numbers = (error.affected, total, error.person + 1)
            yield (image.file, image.generator, image.prompt, str(image.number), error.cell, error.severity,
                   *map(str, numbers), error.name, f"{error.x:.4f}", f"{error.y:.4f}")  # fmt: skip


def is_alone_or_first(image: DemoImage) -> bool:
    """Return whether the figure is alone, or the image is the first of its prompt."""
    return len(image.scene.figures) == 1 or image.number == 1


def _realism_rows(images: Iterable[DemoImage], seed: int) -> Iterable[Sequence[str]]:
    """Yield the ratings of figures that are alone, and of an image of several people for each prompt."""
    for image in images:
        people = len(image.scene.figures)
        if image.number != UNLABELLED_NUMBER and is_alone_or_first(image):
            place = (image.generator, image.prompt, image.number)
            yield from ratings_of(*place, image.truth, people=people, seed=seed)


def _face_rows(images: Iterable[DemoImage]) -> Iterable[Sequence[str]]:
    """Yield the rectangles around the heads of the images that may be rated, as a detector would."""
    for image in images:
        if is_alone_or_first(image):
            for box in face_boxes(image.scene):
                yield (Path(image.file).name, *map(str, box))


def _detection_rows(images: Iterable[DemoImage], seed: int) -> Iterable[Sequence[str]]:
    """Yield what a simulated detector finds in the images that may be rated: people, and how sure it is."""
    for image in images:
        if is_alone_or_first(image):
            chance = Chance(f"detections/{seed}/{image.generator}/{image.prompt}/{image.number}")
            sure, moderation = chance.between(LEAST_SURE, 1), chance.between(0, 0.2)
            people = len(image.scene.figures)
            yield (Path(image.file).name, str(people), "person", f"{sure:.3f}", f"{moderation:.2f}")


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


if __name__ == "__main__":
    write_demo_study(TARGET)
