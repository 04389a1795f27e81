"""The demo study has the published layout, and what is committed is what the tool draws."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from fractions import Fraction
from pathlib import Path
from statistics import mean

import pytest
from PIL import Image

from scoring.grid.notation import parse_cell
from scoring.grid.scores import cell_score
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import CELL_BY_HEADING, SHEET_COLUMNS
from tools import demo_study
from tools.demo_study import (
    TARGET,
    DemoImage,
    DemoStudy,
    plan_demo_study,
    plan_rated_images,
    real_pictures,
    write_demo_study,
)
from tools.painter.scenes import GENERATORS
from tools.simulation import ANNOTATORS

SIZE_LIMIT = 3_000_000


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> DemoStudy:
    """The study as it is, with its drawn figures, which take seconds."""
    return write_demo_study(tmp_path_factory.mktemp("drawn"))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> DemoStudy:
    """The study with plain pictures."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(demo_study, "draw_scene", lambda _: Image.new("RGB", (9, 7)))
        return write_demo_study(tmp_path_factory.mktemp("demo"))


def digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def true_score(image: DemoImage) -> Fraction:
    return sum((cell_score(terms, DEFAULT_WEIGHTS) for terms in image.truth.terms().values()), Fraction(0))


@pytest.mark.thorough
def test_the_committed_study_is_what_is_drawn(drawn: DemoStudy) -> None:
    committed = digests(TARGET)
    for written_elsewhere in ("README.md", "data/planted_masks.csv"):
        del committed[written_elsewhere]
    assert committed == digests(drawn.folder)


def test_the_committed_tables_are_what_is_written(study: DemoStudy) -> None:
    for name in ("annotations.csv", "prompt_groups.csv", "truth.csv"):
        assert (TARGET / "data" / name).read_bytes() == (study.folder / "data" / name).read_bytes()
    for name in ("realism.csv", "faces.csv", "detections.csv"):
        assert (TARGET / name).read_bytes() == (study.folder / name).read_bytes()
    assert {path.relative_to(TARGET).as_posix() for path in TARGET.glob("images/**/*.webp")} == {
        image.file for image in study.images
    }
    assert {path.relative_to(TARGET).as_posix() for path in TARGET.glob("real/**/*.webp")} == {
        image.file for image in real_pictures()
    }


def test_another_seed_gives_another_study() -> None:
    first, second = plan_demo_study(seed=7), plan_demo_study(seed=8)
    assert [image.file for image in first] == [image.file for image in second]
    assert all(a.scene != b.scene for a, b in zip(first, second, strict=True))


@pytest.mark.thorough
def test_files(drawn: DemoStudy) -> None:
    written = digests(drawn.folder)
    data = {"data/annotations.csv", "data/prompt_groups.csv", "data/truth.csv"}
    data |= {"realism.csv", "faces.csv", "detections.csv"}
    real = {image.file for image in real_pictures()}
    rated = {image.file for image in plan_rated_images()}
    assert set(written) == {image.file for image in drawn.images} | real | rated | data
    assert len(set(written.values())) == len(written)
    assert sum((drawn.folder / name).stat().st_size for name in written) < SIZE_LIMIT
    with Image.open(drawn.folder / drawn.images[0].file) as picture:
        assert (picture.format, picture.mode, picture.size) == ("WEBP", "RGB", (640, 704))


def test_sheet_has_the_published_columns_and_clean_cells(study: DemoStudy) -> None:
    path = study.folder / "data" / "annotations.csv"
    sheet = rows(path)
    assert path.read_bytes().splitlines()[0].decode() == ",".join(SHEET_COLUMNS)
    assert len(sheet) == study.annotations == 60
    by_key = {(image.generator, image.prompt, str(image.number)): image for image in study.images}
    for row in sheet:
        image = by_key[row["Model"], row["Prompt"], row["Pic Num."]]
        assert row["Annotator"] in image.annotators
        assert all(parse_cell(row[heading]) or not row[heading] for heading in CELL_BY_HEADING)


def test_truth_file_lists_every_planted_error(study: DemoStudy) -> None:
    listed = rows(study.folder / "data" / "truth.csv")
    assert len(listed) == sum(len(image.truth.errors) for image in study.images)
    assert all(1 <= int(row["affected"]) <= int(row["total"]) for row in listed)
    assert all(0 <= float(row[axis]) <= 1 for row in listed for axis in "xy")


def test_work_is_balanced(study: DemoStudy) -> None:
    assert len(study.unlabelled) == 12
    assert len(study.shared) == 12
    assert Counter(image.annotators for image in study.shared) == {
        ("annotator1", "annotator2"): 6,
        ("annotator3", "annotator4"): 6,
    }
    work = Counter((code, image.generator) for image in study.images for code in image.annotators)
    assert work == {(coder.code, generator.name): 5 for coder in ANNOTATORS for generator in GENERATORS}
    left = Counter((image.generator, image.prompt) for image in study.unlabelled)
    assert set(left.values()) == {1}


@pytest.mark.parametrize("seed", [7, 1, 2, 3])
def test_true_scores_order_the_generators_as_designed(seed: int) -> None:
    images = plan_demo_study(seed=seed)
    means = [
        mean(true_score(image) for image in images if image.generator == generator.name)
        for generator in GENERATORS
    ]
    assert means == sorted(means)
    assert means[1] - means[0] > Fraction(1, 10)
    assert means[2] - means[1] > Fraction(1, 5)


@pytest.mark.parametrize("seed", [7, 1, 2, 3])
def test_truth_is_valid(seed: int) -> None:
    for image in plan_demo_study(seed=seed):
        truth = image.truth
        assert truth.people == len(image.scene.figures)
        assert truth.expected == {
            part: truth.people * count
            for part, count in {"torso": 1, "limbs": 4, "feet": 2, "hands": 2, "face": 1}.items()
        }
        for key, terms in truth.terms().items():
            assert all(1 <= term.affected <= term.total == truth.total(key) for term in terms)
            assert sum(term.affected for term in terms) <= truth.total(key)
